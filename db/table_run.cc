#include "db/table_run.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "db/folder_files.h"
#include "sstable/check.h"
#include "sstable/internal_key.h"
#include "sstable/slice.h"
#include "sstable/table_iterator.h"
#include "table/block/block_io.h"
#include "table/block/show_key.h"
#include "table/index/table_index.h"
#include "table/inspect/block_identity.h"
#include "table/table_internals.h"
#include "util/stable_order.h"
#include "util/status_util.h"

namespace sstable {
namespace {

class RunIterator final : public EntryWalk {
 public:
  RunIterator(const ViewTables* tables, const TableRun* run, const KeyOrder* order,
              OnDamage on_damage)
      : tables_(*tables), run_(*run), order_(*order), on_damage_(std::move(on_damage)) {}

  bool Valid() const override { return it_ != nullptr && it_->Valid() && status_.ok(); }
  void SeekToFirst() override {
    Enter(0);
    GoForward();
  }
  void SeekToLast() override {
    EnterLast(run_.tables.size());
    GoBackward();
  }
  void Seek(Slice target) override {
    const std::string copy(target);  // `target` may be a view of the current entry
    const LookupKey key = order_.Split(copy);
    const size_t place = FindInRun(run_, tables_.tables(), key);
    Open(place);
    if (it_ != nullptr) {
      it_->Seek(copy);
      TryBlockBefore(copy);
    }
    size_t before = 0;
    const absl::Status gap = CheckGap(run_, tables_, order_, key, place, &before);
    if (!gap.ok()) ReportOf(tables_.tables()[before], gap, std::nullopt);
    GoForward();
  }
  void Next() override {
    it_->Next();
    if (ABSL_PREDICT_TRUE(it_->Valid() && checked_block_ == it_->block_index() &&
                          ParseInternalKey(it_->key()).has_value())) {
      return;
    }
    GoForward();
  }
  void Prev() override {
    it_->Prev();
    GoBackward();
  }
  absl::string_view key() const override { return it_->key(); }
  absl::string_view value() const override { return it_->value(); }
  absl::Status status() const override {
    return status_.ok() && it_ != nullptr ? it_->status() : status_;
  }
  Place place() const override { return {table().name, checked_block_offset_}; }
  // Null if work is limited, since each entry must be charged.
  TableIterator* table_iterator() override { return work_.has_value() ? nullptr : it_.get(); }
  void Settle() override { GoForward(); }

 private:
  const DatabaseTable& table() const { return tables_.tables()[run_.tables[place_]]; }
  const TableReader& reader() const { return **open_table_; }

  // Switches to the table at `place`. Sets it_ to null if there is no such table or it can't be
  // read.
  void Open(size_t place) {
    const bool is_open = place == place_ && it_ != nullptr && verifier_->index_status().ok();
    if (is_open && !work_.has_value()) {  // a limit on work is for one visit
      status_ = absl::OkStatus();
      checked_block_.reset();
      return;
    }
    it_.reset();
    open_table_.reset();
    status_ = absl::OkStatus();
    place_ = place;
    if (place_ >= run_.tables.size()) return;
    auto table = tables_.Open(run_.tables[place_]);
    if (!table.ok()) return Report(table.status(), std::nullopt);
    open_table_.emplace(*std::move(table));
    it_ = reader().NewIterator(ReadOptions::ForScan());
    if (reader().options().max_work.has_value()) work_.emplace(WorkOf(reader()));
    verifier_.emplace(&reader(), KeyTrust::kOrdered);
    checked_block_.reset();
    // If the index can't be read, the iterator reports it.
    if (IndexOf(reader()) != nullptr && !verifier_->index_status().ok()) {
      Report(verifier_->index_status(), std::nullopt);
    }
  }
  void Enter(size_t place) {
    Open(place);
    if (it_ != nullptr) it_->SeekToFirst();
  }
  void EnterLast(size_t end) {  // the table before place `end`
    Open(end == 0 ? run_.tables.size() : end - 1);
    if (it_ != nullptr) it_->SeekToLast();
  }

  // If `it` has entered a new block, checks that it is the block that the index refers to.
  bool CheckBlock(const TableIterator& it) {
    if (!it.Valid() || checked_block_ == it.block_index()) return true;
    checked_block_ = it.block_index();
    const IndexRecord& record = IndexOf(reader())->record(*checked_block_);
    const BlockHandle handle = record.handle();
    checked_block_offset_ = handle.offset;
    if (record.state.Has(BlockState::kIdentified)) return true;
    const absl::Status status = verifier_->CheckBlock(*checked_block_, BlockOf(it));
    if (status.ok()) {
      record.state.Set(BlockState::kIdentified);
      return true;
    }
    Report(AtBlock(reader().file(), BlockKind::kData, handle, status), handle.offset);
    return false;
  }
  // The first key not below `target` may be in the block before the one that the index names, if
  // that block has keys above its index key.
  void TryBlockBefore(absl::string_view target) {
    const TableIndex* const index = IndexOf(reader());
    if (index == nullptr || it_->block_index() == 0) return;
    const size_t block_before = it_->block_index() - 1;
    if (index->record(block_before).state.Has(BlockState::kIdentified)) return;
    auto before = reader().NewIterator(ReadOptions::ForScan());
    before->SeekToBlock(block_before);
    if (CheckBlock(*before)) return;
    while (before->Valid() && KeyOrderOf(reader()).Compare(before->key(), target) < 0) {
      before->Next();
    }
    it_ = std::move(before);
  }

  // Moves forward (backward) from it_'s position to the first valid entry, past damage and into
  // other tables.
  void GoForward() {
    for (;;) {
      if (it_ != nullptr) CheckBlock(*it_);
      if (!status_.ok()) return;
      if (it_ == nullptr || (!it_->Valid() && it_->status().ok())) {
        if (place_ >= run_.tables.size()) return;
        Enter(place_ + 1);
      } else if (!it_->Valid()) {
        Report(it_->status(), BlockOffset());
        if (!status_.ok()) return;
        if (!it_->SkipDamage()) it_.reset();
      } else if (ParseInternalKey(it_->key()).has_value()) {
        return TakeWork();
      } else {
        ReportKey();
        if (status_.ok()) it_->Next();
      }
    }
  }
  void GoBackward() {
    for (;;) {
      if (it_ != nullptr) CheckBlock(*it_);
      if (!status_.ok()) return;
      if (it_ == nullptr || (!it_->Valid() && it_->status().ok())) {
        if (place_ >= run_.tables.size()) return;
        EnterLast(place_);
      } else if (!it_->Valid()) {
        Report(it_->status(), BlockOffset());
        if (!status_.ok()) return;
        SkipDamageBackward();
      } else if (ParseInternalKey(it_->key()).has_value()) {
        return TakeWork();
      } else {
        ReportKey();
        if (status_.ok()) it_->Prev();
      }
    }
  }

  // Charges the entry that it_ has reached. A merge compares and copies its key.
  void TakeWork() {
    constexpr uint64_t kPerKeyByte = 4;
    if (!work_.has_value() || work_->Take(kWorkPerEntry + kPerKeyByte * it_->key().size())) return;
    status_ = AtPlace(reader().file().name(), work_->Error());
  }

  void SkipDamageBackward() {
    const auto report = [this](const absl::Status& status) { Report(status, BlockOffset()); };
    if (!sstable::SkipDamageBackward(it_.get(), report)) it_.reset();
  }

  // Offset of the data block that it_ is in, or that stopped it.
  std::optional<uint64_t> BlockOffset() const {
    const std::optional<BlockHandle> block = DataBlockOf(*it_);
    return block.has_value() ? std::optional<uint64_t>(block->offset) : std::nullopt;
  }

  void ReportKey() {
    const uint64_t offset = BlockOffset().value_or(0);
    Report(absl::DataLossError(
               absl::StrCat(reader().file().name(), ": data block at offset ", offset, ": key ",
                            ShowKey(KeyKind::kInternal, it_->key()), " is not an internal key")),
           offset);
  }
  void Report(const absl::Status& status, std::optional<uint64_t> offset) {
    ReportOf(table(), status, offset);
  }
  void ReportOf(const DatabaseTable& table, const absl::Status& status,
                std::optional<uint64_t> offset) {
    if (on_damage_ == nullptr || (work_.has_value() && work_->is_spent())) {
      status_ = status;
    } else {
      on_damage_(ProblemOf(table.name, status, offset));
    }
  }

  const ViewTables& tables_;
  const TableRun& run_;
  const KeyOrder& order_;
  const OnDamage on_damage_;
  size_t place_ = 0;  // index in run_.tables; their number if past either end
  std::optional<ViewTables::OpenTable> open_table_;
  std::unique_ptr<TableIterator> it_;      // over the table at place_; null if that can't be read
  std::optional<WorkMeter> work_;          // for this table, if work is limited
  std::optional<TableVerifier> verifier_;  // for this table
  std::optional<size_t> checked_block_;    // the block of it_, except right after a step
  uint64_t checked_block_offset_ = 0;
  absl::Status status_;
};

}  // namespace

bool HasRange(const DatabaseTable& table, const Comparator* user_comparator) {
  return !table.largest.empty() &&
         InternalKeyComparator(user_comparator).Compare(table.smallest, table.largest) <= 0;
}

std::vector<TableRun> GroupIntoRuns(const std::vector<DatabaseTable>& tables,
                                    std::vector<size_t> indices, const KeyOrder* key_order) {
  const KeyOrder& order = *key_order;
  const Comparator* const user_comparator = &order.user_comparator();
  SortStably(&indices, [&](size_t a, size_t b) {
    if (tables[a].level != tables[b].level) return tables[a].level < tables[b].level;
    return tables[a].level <= 0 && tables[a].number > tables[b].number;
  });
  // Maps each edge of a table to the number of runs, from `first` on, that have a table between it
  // and the next edge.
  struct Edge {
    absl::string_view key;
    bool is_after;
  };
  auto is_before = [&order](const Edge& a, const Edge& b) {
    const int difference = order.Compare(a.key, b.key);
    return difference != 0 ? difference < 0 : a.is_after < b.is_after;
  };
  std::map<Edge, size_t, decltype(is_before)> depths(is_before);
  const auto depth_at = [&depths](const Edge& edge) {
    const auto next = depths.upper_bound(edge);
    return next == depths.begin() ? size_t{0} : std::prev(next)->second;
  };
  std::vector<TableRun> runs;
  size_t first = 0;
  const auto add = [&](size_t depth, int level, size_t i) {
    if (first + depth == runs.size()) {
      runs.push_back({level, /*is_level=*/false, /*has_ranges=*/true, {}, {}});
    }
    runs[first + depth].tables.push_back(i);
  };
  for (const size_t i : indices) {
    const DatabaseTable& table = tables[i];
    const bool has_range = HasRange(table, user_comparator);
    if (!has_range || (!runs.empty() && runs.back().level != table.level)) {
      first = runs.size();
      depths.clear();
    }
    if (!has_range) {
      runs.push_back({table.level, /*is_level=*/false, /*has_ranges=*/false, {i}, {}});
      ++first;
      continue;
    }
    const Edge start{table.smallest, false}, end{table.largest, true};
    if (depths.empty() || is_before(depths.rbegin()->first, start)) {  // nearly always
      depths.emplace_hint(depths.end(), start, 1);
      depths.emplace_hint(depths.end(), end, 0);
      add(0, table.level, i);
      continue;
    }
    const size_t depth_after = depth_at(end);
    size_t depth = depth_at(start);
    const auto inside = depths.lower_bound(start), outside = depths.lower_bound(end);
    for (auto it = inside; it != outside; ++it) depth = std::max(depth, it->second);
    depths.erase(inside, outside);
    depths[start] = depth + 1;
    depths.emplace(end, depth_after);
    add(depth, table.level, i);
  }
  const auto is_first = [&](size_t a, size_t b) {
    return order.Compare(tables[a].smallest, tables[b].smallest) < 0;
  };
  for (TableRun& run : runs) {
    if (std::is_sorted(run.tables.begin(), run.tables.end(), is_first)) continue;
    std::sort(run.tables.begin(), run.tables.end(), is_first);
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    const int level = runs[i].level;
    runs[i].is_level = level >= 0 && (i == 0 || runs[i - 1].level != level) &&
                       (i + 1 == runs.size() || runs[i + 1].level != level);
  }
  for (TableRun& run : runs) {
    if (!run.has_ranges) continue;
    run.ends = KeySearch(key_order, run.tables.size(), [&](size_t place) -> absl::string_view {
      return tables[run.tables[place]].largest;
    });
  }
  return runs;
}

absl::Status CheckGapOnce(const TableRun& run, const ViewTables& tables, const KeyOrder& order,
                          const LookupKey& key, size_t place, size_t* table) {
  const bool is_gap = place == run.tables.size() ||
                      order.Compare(tables.tables()[run.tables[place]].smallest, key) > 0;
  if (!is_gap) return absl::OkStatus();
  *table = run.tables[place - 1];
  const absl::Status status = tables.CheckRange(*table);
  return absl::IsDataLoss(status) ? status : absl::OkStatus();
}

std::unique_ptr<EntryWalk> NewRunIterator(const ViewTables* tables, const TableRun* run,
                                          const KeyOrder* order, OnDamage on_damage) {
  return std::make_unique<RunIterator>(tables, run, order, std::move(on_damage));
}

}  // namespace sstable
