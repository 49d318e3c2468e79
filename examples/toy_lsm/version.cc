#include "examples/toy_lsm/version.h"

#include <algorithm>
#include <cstddef>

#include "absl/status/status.h"
#include "table/table_iterator.h"
#include "util/internal_key.h"
#include "util/status_util.h"

namespace toy_lsm {
namespace {

// The first of `tables`, which are in order, that ends at `key` or behind it.
size_t FindIndex(const std::vector<TablePtr>& tables, absl::string_view key) {
  const auto ends_before = [](const TablePtr& table, absl::string_view k) {
    return table->info().largest < k;
  };
  return std::lower_bound(tables.begin(), tables.end(), key, ends_before) - tables.begin();
}

class LevelIterator final : public sstable::Iterator {
 public:
  LevelIterator(const std::vector<TablePtr>* tables, sstable::FillCache fill_cache)
      : tables_(*tables), fill_cache_(fill_cache) {}

  bool Valid() const override { return it_ != nullptr && it_->Valid(); }
  void SeekToFirst() override {
    if (Open(0)) it_->SeekToFirst();
    GoForward();
  }
  void SeekToLast() override {
    if (Open(tables_.size() - 1)) it_->SeekToLast();
    GoBackward();
  }
  void Seek(absl::string_view target) override {
    if (Open(FindIndex(tables_, sstable::ExtractUserKey(target)))) it_->Seek(target);
    GoForward();
  }
  void Next() override {
    it_->Next();
    GoForward();
  }
  void Prev() override {
    it_->Prev();
    GoBackward();
  }
  absl::string_view key() const override { return it_->key(); }
  absl::string_view value() const override { return it_->value(); }
  absl::Status status() const override { return it_ == nullptr ? absl::OkStatus() : it_->status(); }

 private:
  bool Open(size_t i) {
    index_ = i;
    if (i >= tables_.size()) {
      it_.reset();
    } else {
      it_ = tables_[i]->reader().NewIterator(fill_cache_);
    }
    return it_ != nullptr;
  }
  void GoForward() {
    while (it_ != nullptr && !it_->Valid() && it_->status().ok()) {
      if (Open(index_ + 1)) it_->SeekToFirst();
    }
  }
  void GoBackward() {
    while (it_ != nullptr && !it_->Valid() && it_->status().ok()) {
      if (Open(index_ - 1)) it_->SeekToLast();  // before the first: no index at all
    }
  }

  const std::vector<TablePtr>& tables_;
  const sstable::FillCache fill_cache_;
  size_t index_ = 0;
  std::unique_ptr<sstable::TableIterator> it_;  // of table index_; null past either end
};

}  // namespace

std::unique_ptr<sstable::Iterator> NewLevelIterator(const std::vector<TablePtr>* tables,
                                                    sstable::FillCache fill_cache) {
  return std::make_unique<LevelIterator>(tables, fill_cache);
}

const Table* Version::FindTable(int level, absl::string_view key) const {
  const size_t i = FindIndex(levels[level], key);
  return i < levels[level].size() ? levels[level][i].get() : nullptr;
}

absl::StatusOr<sstable::Presence> Version::Find(absl::string_view key, uint64_t snapshot,
                                                std::string* value) const {
  for (int level = 0; level < kLevelCount; ++level) {
    const size_t count = level == 0 ? levels[0].size() : levels[level].empty() ? 0 : 1;
    for (size_t i = 0; i < count; ++i) {
      const Table* const table = level == 0 ? levels[0][i].get() : FindTable(level, key);
      if (table == nullptr || key < table->info().smallest || key > table->info().largest) continue;
      ASSIGN_OR_RETURN(const sstable::Presence presence,
                       table->reader().Find(key, value, snapshot));
      if (presence != sstable::Presence::kAbsent) return presence;  // all else is older
    }
  }
  return sstable::Presence::kAbsent;
}

void Version::AddIterators(sstable::FillCache fill_cache,
                           std::vector<std::unique_ptr<sstable::Iterator>>* iterators) const {
  for (const TablePtr& table : levels[0]) {
    iterators->push_back(table->reader().NewIterator(fill_cache));
  }
  for (int level = 1; level < kLevelCount; ++level) {
    if (!levels[level].empty()) iterators->push_back(NewLevelIterator(&levels[level], fill_cache));
  }
}

std::vector<TablePtr> Version::Overlapping(int level, absl::string_view smallest,
                                           absl::string_view largest) const {
  std::vector<TablePtr> result;
  for (const TablePtr& table : levels[level]) {
    if (table->info().largest >= smallest && table->info().smallest <= largest) {
      result.push_back(table);
    }
  }
  return result;
}

uint64_t Version::LevelSize(int level) const {
  uint64_t size = 0;
  for (const TablePtr& table : levels[level]) size += table->info().file_size;
  return size;
}

std::shared_ptr<const Version> Version::With(const LeveledTables& added,
                                             const std::vector<TablePtr>& removed) const {
  auto next = std::make_shared<Version>();
  for (int level = 0; level < kLevelCount; ++level) {
    for (const TablePtr& table : levels[level]) {
      if (std::find(removed.begin(), removed.end(), table) == removed.end()) {
        next->levels[level].push_back(table);
      }
    }
  }
  for (const auto& [level, table] : added) {
    std::vector<TablePtr>& tables = next->levels[level];
    const auto is_older = [n = table->info().number](const TablePtr& other) {
      return other->info().number < n;
    };
    const auto behind = level == 0 ? std::find_if(tables.begin(), tables.end(), is_older)
                                   : tables.begin() + FindIndex(tables, table->info().smallest);
    tables.insert(behind, table);
  }
  return next;
}

}  // namespace toy_lsm
