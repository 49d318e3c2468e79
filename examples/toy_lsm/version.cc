#include "examples/toy_lsm/version.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "examples/toy_lsm/log.h"
#include "examples/toy_lsm/write_batch.h"
#include "sstable/comparator.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/table_iterator.h"
#include "util/coding.h"
#include "util/status_util.h"

namespace toy_lsm {
namespace {

// The first of `tables`, which are in order, that ends at `key` or behind it.
size_t FindIndex(const std::vector<TablePtr>& tables, absl::string_view key) {
  const auto ends_before = [](const TablePtr& table, absl::string_view k) {
    return table->largest < k;
  };
  return std::lower_bound(tables.begin(), tables.end(), key, ends_before) - tables.begin();
}

// Walks tables that follow each other, as those of a level do; the list must outlive it.
class LevelIterator final : public sstable::Iterator {
 public:
  explicit LevelIterator(const std::vector<TablePtr>* tables) : tables_(*tables) {}

  bool Valid() const override { return it_ != nullptr && it_->Valid(); }
  void SeekToFirst() override { Enter(0, 1); }
  void SeekToLast() override { Enter(tables_.size() - 1, -1); }
  void Seek(absl::string_view target) override {
    if (!Open(FindIndex(tables_, sstable::ExtractUserKey(target)))) return;
    it_->Seek(target);
    if (IsAtEnd()) Enter(index_ + 1, 1);
  }
  void Next() override {
    it_->Next();
    if (IsAtEnd()) Enter(index_ + 1, 1);
  }
  void Prev() override {
    it_->Prev();
    if (IsAtEnd()) Enter(index_ - 1, -1);
  }
  absl::string_view key() const override { return it_->key(); }
  absl::string_view value() const override { return it_->value(); }
  absl::Status status() const override { return it_ == nullptr ? absl::OkStatus() : it_->status(); }

 private:
  bool Open(size_t i) {
    index_ = i;
    it_ = i < tables_.size() ? tables_[i]->reader->NewIterator() : nullptr;
    return it_ != nullptr;
  }
  bool IsAtEnd() const { return !it_->Valid() && it_->status().ok(); }
  // To the first entry from table `i` on, or with step -1 to the last up to there.
  void Enter(size_t i, int step) {
    for (; Open(i); i += step) {  // in front of 0 is no index
      step > 0 ? it_->SeekToFirst() : it_->SeekToLast();
      if (!IsAtEnd()) return;
    }
  }

  const std::vector<TablePtr>& tables_;
  size_t index_ = 0;
  std::unique_ptr<sstable::TableIterator> it_;  // of table index_; null past either end
};

std::string CurrentPath(const std::string& folder) { return folder + "/CURRENT"; }

}  // namespace

absl::StatusOr<sstable::Presence> Version::Find(absl::string_view key, uint64_t snapshot,
                                                std::string* value) const {
  for (const MemTable* const table : {memtable.get(), full_memtable.get()}) {
    if (table == nullptr) continue;
    const sstable::Presence presence = table->Find(key, snapshot, value);
    if (presence != sstable::Presence::kAbsent) return presence;  // all else is older
  }
  for (int level = 0; level < kLevelCount; ++level) {
    for (const TablePtr& table : TablesFor(level, key)) {
      if (key < table->smallest || key > table->largest) continue;
      ASSIGN_OR_RETURN(const sstable::Presence presence, table->reader->Find(key, value, snapshot));
      if (presence != sstable::Presence::kAbsent) return presence;
    }
  }
  return sstable::Presence::kAbsent;
}

std::unique_ptr<sstable::MergingIterator> Version::NewIterator() const {
  std::vector<std::unique_ptr<sstable::Iterator>> iterators;
  for (const MemTable* const table : {memtable.get(), full_memtable.get()}) {
    if (table != nullptr) iterators.push_back(table->NewIterator());
  }
  for (const TablePtr& table : levels[0]) iterators.push_back(table->reader->NewIterator());
  for (int level = 1; level < kLevelCount; ++level) {
    if (levels[level].empty()) continue;
    iterators.push_back(std::make_unique<LevelIterator>(&levels[level]));
  }
  return std::make_unique<sstable::MergingIterator>(
      sstable::BytewiseComparator(), sstable::KeyKind::kInternal, std::move(iterators));
}

absl::Span<const TablePtr> Version::TablesFor(int level, absl::string_view key) const {
  const absl::Span<const TablePtr> tables = levels[level];
  return level == 0 ? tables : tables.subspan(FindIndex(levels[level], key), 1);
}

std::vector<TablePtr> Version::Overlapping(int level, const std::vector<TablePtr>& others) const {
  absl::string_view smallest = others[0]->smallest, largest = others[0]->largest;
  for (const TablePtr& other : others) {
    smallest = std::min<absl::string_view>(smallest, other->smallest);
    largest = std::max<absl::string_view>(largest, other->largest);
  }
  std::vector<TablePtr> result;
  for (const TablePtr& table : levels[level]) {
    if (table->largest >= smallest && table->smallest <= largest) result.push_back(table);
  }
  return result;
}

uint64_t Version::LevelSize(int level) const {
  uint64_t size = 0;
  for (const TablePtr& table : levels[level]) size += table->size();
  return size;
}

std::shared_ptr<Version> Version::With(int level, const std::vector<TablePtr>& added,
                                       const std::vector<TablePtr>& removed) const {
  auto next = std::make_shared<Version>(*this);
  const auto is_removed = [&removed](const TablePtr& table) {
    return std::find(removed.begin(), removed.end(), table) != removed.end();
  };
  for (std::vector<TablePtr>& tables : next->levels) {
    tables.erase(std::remove_if(tables.begin(), tables.end(), is_removed), tables.end());
  }
  if (added.empty()) return next;
  std::vector<TablePtr>& tables = next->levels[level];
  const size_t place = level == 0 ? 0 : FindIndex(tables, added[0]->smallest);
  tables.insert(tables.begin() + place, added.begin(), added.end());
  return next;
}

absl::Status Version::Save(const std::string& folder) const {
  std::string payload;
  sstable::AppendVarint64(&payload, log_number);
  for (const std::vector<TablePtr>& tables : levels) {
    sstable::AppendVarint64(&payload, tables.size());
    for (const TablePtr& table : tables) {
      sstable::AppendVarint64(&payload, table->number);
      AppendSized(&payload, table->smallest);
      AppendSized(&payload, table->largest);
    }
  }
  ASSIGN_OR_RETURN(const auto file, sstable::CreateFileAtomically(CurrentPath(folder)));
  RETURN_IF_ERROR(file->Append(MakeRecord(last_sequence, payload)));
  RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

absl::StatusOr<std::shared_ptr<Version>> Version::Load(const TableStore& store) {
  const std::string path = CurrentPath(store.folder());
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return nullptr;
  auto version = std::make_shared<Version>();
  const auto decode = [&](uint64_t sequence, absl::string_view payload) -> absl::Status {
    const absl::Status damage = absl::DataLossError("is no list of tables");
    version->last_sequence = sequence;
    if (!sstable::ConsumeVarint64(&payload, &version->log_number)) return damage;
    for (std::vector<TablePtr>& tables : version->levels) {
      uint64_t count = 0, number = 0;
      if (!sstable::ConsumeVarint64(&payload, &count)) return damage;
      for (absl::string_view smallest, largest; count > 0; --count) {
        if (!sstable::ConsumeVarint64(&payload, &number) || !ConsumeSized(&payload, &smallest) ||
            !ConsumeSized(&payload, &largest)) {
          return damage;
        }
        ASSIGN_OR_RETURN(tables.emplace_back(), store.Open(number, smallest, largest));
      }
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ReadLog(path, decode).status());
  if (version->log_number == 0) return absl::DataLossError(absl::StrCat(path, ": holds no record"));
  return version;
}

}  // namespace toy_lsm
