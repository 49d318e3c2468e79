#include "examples/toy_lsm/version.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "sstable/comparator.h"
#include "sstable/database_files.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/options.h"
#include "sstable/slice.h"
#include "sstable/table_iterator.h"
#include "util/status_util.h"

namespace toy_lsm {
namespace {

// Returns the index of the first table that ends at or after `key`. `tables` must be sorted.
size_t FindIndex(const std::vector<TablePtr>& tables, absl::string_view key) {
  const auto ends_before = [](const TablePtr& table, absl::string_view k) {
    return table->largest < k;
  };
  return std::lower_bound(tables.begin(), tables.end(), key, ends_before) - tables.begin();
}

bool MayHavePrefix(const Table& table, absl::string_view prefix) {
  if (table.largest < prefix) return false;
  if (table.smallest > prefix && !absl::StartsWith(table.smallest, prefix)) return false;
  return table.reader->ProbePrefix(prefix).value_or(true);
}

// Merges iterators over internal keys. Newer sources come first.
std::unique_ptr<sstable::Iterator> Merged(
    std::vector<std::unique_ptr<sstable::Iterator>> iterators) {
  return sstable::NewMergingIterator(sstable::BytewiseComparator(), sstable::KeyKind::kInternal,
                                     std::move(iterators));
}

// Iterates over sorted tables, such as those of a level. The list must outlive it.
class LevelIterator final : public sstable::Iterator {
 public:
  explicit LevelIterator(const std::vector<TablePtr>* tables) : tables_(*tables) {}

  bool Valid() const override { return it_ != nullptr && it_->Valid(); }
  void SeekToFirst() override { Enter(0, 1); }
  void SeekToLast() override { Enter(tables_.size() - 1, -1); }
  void Seek(sstable::Slice target) override {
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
  // Blocks read by a scan are not added to the cache, which is for Gets.
  bool Open(size_t i) {
    index_ = i;
    it_ = i < tables_.size() ? tables_[i]->reader->NewIterator(sstable::ReadOptions::ForScan())
                             : nullptr;
    return it_ != nullptr;
  }
  bool IsAtEnd() const { return !it_->Valid() && it_->status().ok(); }
  // Moves to the first entry in or after table `i` or, with step -1, to the last one in or before
  // it.
  void Enter(size_t i, int step) {
    for (; Open(i); i += step) {  // ends at -1, too, which wraps around
      step > 0 ? it_->SeekToFirst() : it_->SeekToLast();
      if (!IsAtEnd()) return;
    }
  }

  const std::vector<TablePtr>& tables_;
  size_t index_ = 0;
  std::unique_ptr<sstable::TableIterator> it_;  // over table index_; null past either end
};

}  // namespace

absl::StatusOr<sstable::Presence> Version::Find(absl::string_view key, uint64_t snapshot,
                                                std::string* value) const {
  for (const MemTable* const table : {memtable.get(), full_memtable.get()}) {
    if (table == nullptr) continue;
    const sstable::Presence presence = table->Find(key, snapshot, value);
    if (presence != sstable::Presence::kAbsent) return presence;  // everything else is older
  }
  for (int level = 0; level < kLevelCount; ++level) {
    if (levels[level].empty()) continue;
    for (const TablePtr& table : TablesFor(level, key)) {
      if (key < table->smallest || key > table->largest) continue;
      ASSIGN_OR_RETURN(const sstable::Presence presence,
                       table->reader->Get(key, value, {snapshot}));
      if (presence != sstable::Presence::kAbsent) return presence;
    }
  }
  return sstable::Presence::kAbsent;
}

std::vector<std::unique_ptr<sstable::Iterator>> Version::MemTableIterators() const {
  std::vector<std::unique_ptr<sstable::Iterator>> iterators;
  for (const MemTable* const table : {memtable.get(), full_memtable.get()}) {
    if (table != nullptr) iterators.push_back(table->NewIterator());
  }
  return iterators;
}

std::unique_ptr<sstable::Iterator> Version::NewIterator() const {
  std::vector<std::unique_ptr<sstable::Iterator>> iterators = MemTableIterators();
  for (const TablePtr& table : levels[0]) iterators.push_back(table->reader->NewIterator());
  for (int level = 1; level < kLevelCount; ++level) {
    if (levels[level].empty()) continue;
    iterators.push_back(std::make_unique<LevelIterator>(&levels[level]));
  }
  return Merged(std::move(iterators));
}

std::unique_ptr<sstable::Iterator> Version::NewPrefixIterator(absl::string_view prefix) const {
  std::vector<std::unique_ptr<sstable::Iterator>> iterators = MemTableIterators();
  for (const std::vector<TablePtr>& tables : levels) {
    for (const TablePtr& table : tables) {
      if (MayHavePrefix(*table, prefix)) iterators.push_back(table->reader->NewIterator());
    }
  }
  return Merged(std::move(iterators));
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
                                       const std::vector<TablePtr>& removed,
                                       sstable::VersionEdit* edit) const {
  auto next = std::make_shared<Version>(*this);
  for (int l = 0; l < kLevelCount; ++l) {
    std::vector<TablePtr>& tables = next->levels[l];
    const auto is_kept = [&removed](const TablePtr& table) {
      return std::find(removed.begin(), removed.end(), table) == removed.end();
    };
    const auto end = std::stable_partition(tables.begin(), tables.end(), is_kept);
    for (auto it = end; it != tables.end(); ++it) {
      edit->deleted_files.emplace_back(l, (*it)->file.number);
    }
    tables.erase(end, tables.end());
  }
  for (const TablePtr& table : added) {
    edit->new_files.push_back(table->file);
    edit->new_files.back().level = level;
  }
  if (added.empty()) return next;
  std::vector<TablePtr>& tables = next->levels[level];
  const size_t place = level == 0 ? 0 : FindIndex(tables, added[0]->smallest);
  tables.insert(tables.begin() + place, added.begin(), added.end());
  return next;
}

sstable::VersionEdit Version::Snapshot(uint64_t next_file_number) const {
  sstable::VersionEdit edit;
  edit.comparator = std::string(sstable::BytewiseComparator()->Name());
  edit.log_number = log_number;
  edit.previous_log_number = 0;
  edit.next_file_number = next_file_number;
  edit.last_sequence = last_sequence;
  for (int level = 0; level < kLevelCount; ++level) {
    for (const TablePtr& table : levels[level]) {
      edit.new_files.push_back(table->file);
      edit.new_files.back().level = level;
    }
  }
  return edit;
}

absl::StatusOr<std::shared_ptr<Version>> Version::Load(TableStore* store) {
  const auto manifest_name = sstable::ReadCurrentFile(store->folder());
  if (absl::IsNotFound(manifest_name.status())) return nullptr;
  RETURN_IF_ERROR(manifest_name.status());
  ASSIGN_OR_RETURN(const auto file, sstable::OpenFile(store->Path(*manifest_name)));
  ASSIGN_OR_RETURN(const sstable::Manifest manifest, sstable::ReadManifest(*file));
  RETURN_IF_ERROR(manifest.status);
  const sstable::VersionState& state = manifest.state;
  if (state.comparator != sstable::BytewiseComparator()->Name()) {
    return absl::UnimplementedError(
        absl::StrCat(file->name(), ": keys are in another order than bytewise"));
  }
  auto version = std::make_shared<Version>();
  version->last_sequence = *state.last_sequence;
  version->log_number = *state.log_number;
  store->SetNextFileNumber(std::max(store->next_file_number(), *state.next_file_number));
  for (const auto& [place, table] : state.tables) {
    if (table.level >= kLevelCount) {
      return absl::UnimplementedError(absl::StrCat(file->name(), ": has level ", table.level));
    }
    ASSIGN_OR_RETURN(version->levels[table.level].emplace_back(), store->Open(table));
  }
  for (int level = 0; level < kLevelCount; ++level) {
    const auto comes_before = [level](const TablePtr& a, const TablePtr& b) {
      return level == 0 ? a->file.number > b->file.number : a->smallest < b->smallest;
    };
    std::stable_sort(version->levels[level].begin(), version->levels[level].end(), comes_before);
  }
  return version;
}

}  // namespace toy_lsm
