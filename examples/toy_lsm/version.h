// The state of the database at one time, in memory and on disk.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_VERSION_H_
#define SSTABLE_EXAMPLES_TOY_LSM_VERSION_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "examples/toy_lsm/memtable.h"
#include "examples/toy_lsm/options.h"
#include "examples/toy_lsm/table_store.h"
#include "sstable/database_files.h"
#include "sstable/iterator.h"
#include "sstable/table_reader.h"

namespace toy_lsm {

// Immutable once shared, so it is read without a lock.
struct Version {
  std::shared_ptr<MemTable> memtable;
  std::shared_ptr<MemTable> full_memtable;  // being flushed; or null
  // Level 0: newest first; its tables may overlap. Other levels: by key; all versions of a user key
  // are in one table of the level.
  std::array<std::vector<TablePtr>, kLevelCount> levels;
  uint64_t last_sequence = 0;  // no table has a higher one
  uint64_t log_number = 0;     // what stands in logs below this one is in tables

  // Returns the newest version of `key` visible to `snapshot`.
  absl::StatusOr<sstable::Presence> Find(absl::string_view key, uint64_t snapshot,
                                         std::string* value) const;

  // Iterates over all internal keys. The version must outlive the iterator.
  std::unique_ptr<sstable::Iterator> NewIterator() const;

  // NewIterator() without the tables that, by their range or filter, have no user key that begins
  // with `prefix`. Other keys may appear, too.
  std::unique_ptr<sstable::Iterator> NewPrefixIterator(absl::string_view prefix) const;

  // Returns the tables of `level` that may have `key`: all of level 0; of another level, the first
  // that ends at or after it, if any.
  absl::Span<const TablePtr> TablesFor(int level, absl::string_view key) const;
  // Returns the tables of `level` that overlap the range from the smallest to the largest key of
  // `others`.
  std::vector<TablePtr> Overlapping(int level, const std::vector<TablePtr>& others) const;
  uint64_t LevelSize(int level) const;

  // Returns this version without `removed`, and with `added` in `level`. On level 0, `added` are
  // the newest; on others, they are in order and overlap only `removed`. Stores the change in
  // `*edit`.
  std::shared_ptr<Version> With(int level, const std::vector<TablePtr>& added,
                                const std::vector<TablePtr>& removed,
                                sstable::VersionEdit* edit) const;

  // Returns the edit that makes this version from nothing, the first one of a manifest.
  sstable::VersionEdit Snapshot(uint64_t next_file_number) const;
  // Loads the version from the manifest that CURRENT names; null if there is no CURRENT. `store`
  // does not reuse numbers that the manifest has given out.
  static absl::StatusOr<std::shared_ptr<Version>> Load(TableStore* store);

 private:
  std::vector<std::unique_ptr<sstable::Iterator>> MemTableIterators() const;
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_VERSION_H_
