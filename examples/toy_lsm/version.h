// Which tables make up the database at one time.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_VERSION_H_
#define SSTABLE_EXAMPLES_TOY_LSM_VERSION_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "examples/toy_lsm/options.h"
#include "examples/toy_lsm/table_store.h"
#include "table/iterator.h"
#include "table/table_reader.h"

namespace toy_lsm {

// Immutable once shared, so it is read without a lock.
struct Version {
  // Level 0 newest first; its tables may overlap. The others by key; a level has all versions of a
  // user key in one table.
  std::array<std::vector<TablePtr>, kLevelCount> levels;

  // The newest version of `key` that `snapshot` can see.
  absl::StatusOr<sstable::Presence> Find(absl::string_view key, uint64_t snapshot,
                                         std::string* value) const;

  // Of all tables, the newest first. The version must outlive them.
  void AddIterators(sstable::FillCache fill_cache,
                    std::vector<std::unique_ptr<sstable::Iterator>>* iterators) const;

  // Of a level above 0: the first table that ends at `key` or behind it, or null.
  const Table* FindTable(int level, absl::string_view key) const;
  std::vector<TablePtr> Overlapping(int level, absl::string_view smallest,
                                    absl::string_view largest) const;
  uint64_t LevelSize(int level) const;

  // This version without `removed` and with `added`.
  using LeveledTables = std::vector<std::pair<int, TablePtr>>;
  std::shared_ptr<const Version> With(const LeveledTables& added,
                                      const std::vector<TablePtr>& removed) const;
};

// Walks tables that follow each other, as those of a level do; the list must outlive it.
std::unique_ptr<sstable::Iterator> NewLevelIterator(const std::vector<TablePtr>* tables,
                                                    sstable::FillCache fill_cache);

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_VERSION_H_
