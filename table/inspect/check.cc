#include "sstable/check.h"

#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sstable/internal_key.h"
#include "sstable/layout.h"
#include "table/block/block_iterator.h"
#include "table/block/show_key.h"
#include "table/inspect/block_visits.h"
#include "table/inspect/order_evidence.h"
#include "table/inspect/placement.h"
#include "table/table_index.h"
#include "table/table_internals.h"
#include "util/status_util.h"

namespace sstable {
namespace {

class Checker {
 public:
  Checker(const TableReader& reader, const CheckOptions& options)
      : reader_(reader),
        options_(options),
        order_(KeyOrderOf(reader)),
        order_evidence_(KeyOrderOf(reader).kind()),
        index_evidence_(KeyOrderOf(reader).kind()),
        rocksdb_(reader.dialect() == TypeByteDialect::kRocksDb) {}

  CheckReport Run() {
    layout_.file_size = reader_.file().size();
    // Once: what can't be read now, but a moment later, is reported.
    const LoadedTable& loaded = LoadNow(reader_);
    index_status_ = loaded.index_status.status;
    report_.filter_status = loaded.filter_status.At(reader_.file());
    if (loaded.filter.has_value()) filter_ = &*loaded.filter;
    if (!options_.order_known && index_status_.ok()) {
      placement_.emplace(&reader_, /*order_known=*/false);
    }
    VisitBlocks(reader_, [this](const VisitedBlock& block) { CheckBlock(block); });
    if (index_status_.ok()) CheckRanges();
    CheckFilterStatus(loaded.filter_status);
    WeighOrderProblems();
    for (CheckProblem& problem : report_.order_checked ? order_problems_ : place_problems_) {
      Add(std::move(problem));
    }
    return std::move(report_);
  }

 private:
  void Add(CheckProblem problem) {
    if (++report_.problem_count > options_.max_problems) return;
    report_.problems.push_back(std::move(problem));
  }

  static CheckProblem At(const BlockInfo& block, std::string message) {
    return {DescribeBlock(block.kind, block.handle), block.handle.offset, block.handle.size,
            std::move(message)};
  }
  void AddAt(const BlockInfo& block, std::string message) { Add(At(block, std::move(message))); }
  void AddOrderProblem(const BlockInfo& block, std::string message) {
    order_problems_.push_back(At(block, std::move(message)));
  }

  void AddStatus(const BlockInfo& block, const absl::Status& status) {
    AddAt(block, std::string(status.message()));
  }

  void CheckBlock(const VisitedBlock& block) {
    layout_.blocks.push_back(block.info);
    if (block.info.kind == BlockKind::kData) ++report_.data_blocks;
    if (!block.info.status.ok()) {
      AddStatus(block.info, block.info.status);
      if (block.info.kind == BlockKind::kData) {
        ++report_.damaged_data_blocks;
        last_index_key_ = block.info.name;
      }
      return;
    }
    if (block.parsed != nullptr) CheckRestarts(block.info, *block.parsed);
    if (block.info.kind == BlockKind::kData && placement_.has_value()) {
      const absl::Status status = placement_->Check(report_.data_blocks - 1, *block.parsed);
      if (!status.ok()) place_problems_.push_back(At(block.info, std::string(status.message())));
    }
    switch (block.info.kind) {
      case BlockKind::kData:
        return CheckEntries(block.info, *block.parsed);
      case BlockKind::kIndex:
        // Readable as a block, but perhaps not as an index.
        if (!index_status_.ok()) return AddStatus(block.info, index_status_);
        if (!IndexOf(reader_)->order_status().ok()) {
          AddOrderProblem(block.info, std::string(IndexOf(reader_)->order_status().message()));
        }
        return;
      case BlockKind::kMetaindex:
        if (const absl::Status& status = MetaindexOf(reader_).status(); !status.ok()) {
          AddStatus(block.info, status);
        }
        return;
      case BlockKind::kFilter:
      case BlockKind::kMeta:
        return;
    }
  }

  // Restart points ascend from 0, and each is at an entry that shares nothing.
  void CheckRestarts(const BlockInfo& info, const Block& block) {
    if (block.restart_count() == 0) return;
    if (block.RestartOffset(0) != 0) {
      return AddAt(info,
                   absl::StrFormat("restart point 0 is at offset %d in the block; readers that "
                                   "start there miss the entries before it",
                                   block.RestartOffset(0)));
    }
    uint32_t next = 0;  // restart point that the walk has not come to
    BlockIterator entries(&order_, block);
    entries.SeekToFirst();
    for (; entries.Valid() && next < block.restart_count(); entries.Next()) {
      if (entries.entry_offset() < block.RestartOffset(next)) continue;
      BlockEntry entry;
      DecodeEntry(block.begin() + entries.entry_offset(), block, &entry);
      if (entries.entry_offset() != block.RestartOffset(next) || entry.shared != 0) break;
      ++next;
    }
    if (next < block.restart_count() &&
        !(block.entries_size() == 0 && block.restart_count() == 1)) {
      AddAt(info, absl::StrFormat(
                      "restart point %d of %d, at offset %d in the block, is not at an entry with "
                      "a whole key",
                      next, block.restart_count(), block.RestartOffset(next)));
    }
  }

  // Whether what was found by comparing keys is wrong, or these are in no order that is known.
  void WeighOrderProblems() {
    if (options_.order_known) return;
    const OrderGuess guess = WeighOrder(order_evidence_, index_evidence_);
    report_.order_reason = guess.reason;
    report_.order_checked = guess.comparator == &order_.user_comparator();
    report_.order_assumed = report_.order_checked && guess.has_strays;
  }

  // Keys of one block that have one fault, and the first of them.
  struct Faults {
    size_t count = 0;
    std::string first;
    void Add(absl::FunctionRef<std::string()> describe) {
      if (count++ == 0) first = describe();
    }
  };

  void CheckEntries(const BlockInfo& info, const Block& block) {
    Faults untagged, out_of_order, repeated, hidden;
    order_evidence_.BeginBlock();
    BlockIterator entries(&order_, block);
    for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
      const absl::string_view key = entries.key();
      ++report_.entries;
      if (!options_.order_known) order_evidence_.Add(key);
      if (order_.kind() == KeyKind::kInternal && !HasTag(key)) {
        untagged.Add([&] { return ShowKey(order_, key); });
      }
      if (has_last_key_ && order_.Compare(last_key_, key) >= 0) {
        // Of versions of one user key, the newer one is first in whatever order.
        const bool is_same_user_key = order_.UserKey(last_key_) == order_.UserKey(key);
        Faults& faults = is_same_user_key ? repeated : out_of_order;
        faults.Add([&] {
          return absl::StrCat(ShowKey(order_, key), " comes after ", ShowKey(order_, last_key_));
        });
      }
      if (filter_ != nullptr) {
        ++report_.keys_checked_with_filter;
        if (!filter_->KeyMayMatch(info.handle.offset, key))
          hidden.Add([&] { return ShowKey(order_, key); });
      }
      if (entries.entry_offset() == 0) CheckAgainstLastIndexKey(info, key);
      last_key_.assign(key.data(), key.size());
      has_last_key_ = true;
    }
    if (info.entry_count > 0) CheckIndexKey(info);
    last_index_key_ = info.name;
    if (untagged.count > 0) {
      AddAt(info, Describe(info, untagged, "have no valid tag (8 bytes of sequence and type)"));
    }
    if (repeated.count > 0) {
      AddAt(info, Describe(info, repeated, "are there twice, or after an older version"));
    }
    if (hidden.count > 0) AddAt(info, Describe(info, hidden, "are hidden by the filter"));
    if (out_of_order.count > 0) {
      AddOrderProblem(info, Describe(info, out_of_order, "are out of order"));
    }
  }

  static std::string Describe(const BlockInfo& info, const Faults& faults, absl::string_view what) {
    return absl::StrFormat("%d of %d keys %s; the first: %s", faults.count, info.entry_count, what,
                           faults.first);
  }

  bool HasTag(absl::string_view key) const {
    return rocksdb_ ? key.size() >= kTagSize : ParseInternalKey(key).has_value();
  }

  // last_key <= index key < first key of the next block.
  void CheckIndexKey(const BlockInfo& info) {
    if (!options_.order_known) index_evidence_.Add(info.name, last_key_);
    if (order_.Compare(last_key_, info.name) <= 0) return;
    AddOrderProblem(info, absl::StrCat("its index key ", ShowKey(order_, info.name),
                                       " is below its last key ", ShowKey(order_, last_key_)));
  }
  void CheckAgainstLastIndexKey(const BlockInfo& info, absl::string_view first_key) {
    if (!last_index_key_.has_value() || order_.Compare(*last_index_key_, first_key) < 0) return;
    AddOrderProblem(info, absl::StrCat("its first key ", ShowKey(order_, first_key),
                                       " is not above the index key of the block before it, ",
                                       ShowKey(order_, *last_index_key_)));
  }

  void CheckRanges() {
    ArrangeLayout(&layout_);
    const auto add = [this](const ByteRange& range, absl::string_view message) {
      Add({absl::StrFormat("bytes %d to %d", range.offset, range.offset + range.size - 1),
           range.offset, range.size, std::string(message)});
    };
    // RocksDB may align blocks.
    if (!rocksdb_ && reader_.metaindex_status().ok()) {
      for (const ByteRange& range : layout_.unreferenced) add(range, "belong to no block");
    }
    for (const ByteRange& range : layout_.doubly_used) {
      add(range, "belong to more than one block");
    }
    if (const absl::Status status = CheckExtent(reader_);
        !status.ok() && layout_.unreferenced.empty() && layout_.doubly_used.empty()) {
      BlockInfo index;
      index.kind = BlockKind::kIndex;
      index.handle = reader_.footer().index;
      AddStatus(index, status);
    }
  }

  // Damage to a block has been reported, except for what only a filter's reader sees, or what could
  // not be read only then.
  void CheckFilterStatus(const BlockStatus& filter) {
    if (filter.ok() || (filter.kind != BlockKind::kFilter && filter.kind != BlockKind::kData)) {
      return;
    }
    for (const BlockInfo& block : layout_.blocks) {
      if (block.kind == filter.kind && block.handle == filter.handle && block.status.ok()) {
        return AddStatus(block, filter.status);
      }
    }
  }

  const TableReader& reader_;
  const CheckOptions options_;
  const KeyOrder& order_;
  OrderEvidence order_evidence_;  // unless the order is known; so the next
  IndexKeyEvidence index_evidence_;
  const bool rocksdb_;
  absl::Status index_status_;
  const FilterBlockReader* filter_ = nullptr;
  Layout layout_;
  CheckReport report_;
  // Which of the next two are problems is known when all keys were seen: what was found in the
  // order of the reader, or without an order.
  std::vector<CheckProblem> order_problems_;
  std::vector<CheckProblem> place_problems_;
  std::optional<PlacementChecker> placement_;  // unless the order is known
  std::string last_key_;
  bool has_last_key_ = false;
  std::optional<std::string> last_index_key_;
};

}  // namespace

CheckReport CheckTable(const TableReader& reader, const CheckOptions& options) {
  return Checker(reader, options).Run();
}

}  // namespace sstable
