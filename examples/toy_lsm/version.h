// The state of a database at one time, in memory and on disk.
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

// Immutable once it is shared, so it can be read without a lock.
struct Version {
  std::shared_ptr<MemTable> memtable;
  std::shared_ptr<MemTable> full_memtable;  // being flushed, or null
  // Level 0 is sorted from newest to oldest, and its tables may overlap. Other levels are sorted by
  // key, and all versions of a user key are in the same table.
  std::array<std::vector<TablePtr>, kLevelCount> levels;
  uint64_t last_sequence = 0;  // no table has a higher one
  uint64_t log_number = 0;     // all changes in logs with lower numbers are in tables

  // Returns the newest version of `key` visible to `snapshot`.
  absl::StatusOr<sstable::Presence> Find(absl::string_view key, uint64_t snapshot,
                                         std::string* value) const;

  // Iterates over all internal keys. The version must outlive the iterator.
  std::unique_ptr<sstable::Iterator> NewIterator() const;

  // Like NewIterator(), but without tables whose range or filter excludes user keys that begin with
  // `prefix`. Other keys may appear, too.
  std::unique_ptr<sstable::Iterator> NewPrefixIterator(absl::string_view prefix) const;

  // Returns the tables of `level` that may contain `key`: all of level 0, or the first table of
  // another level that ends at or after it, if any.
  absl::Span<const TablePtr> TablesFor(int level, absl::string_view key) const;
  // Returns the tables of `level` that overlap the range from the smallest to the largest key in
  // `others`.
  std::vector<TablePtr> Overlapping(int level, const std::vector<TablePtr>& others) const;
  uint64_t LevelSize(int level) const;

  // Returns this version without `removed` and with `added` in `level`. In level 0, `added` must be
  // the newest tables. In other levels, they must be sorted and overlap only `removed`. Stores the
  // change in `*edit`.
  std::shared_ptr<Version> With(int level, const std::vector<TablePtr>& added,
                                const std::vector<TablePtr>& removed,
                                sstable::VersionEdit* edit) const;

  // Returns an edit that creates this version from nothing, for the beginning of a manifest.
  sstable::VersionEdit Snapshot(uint64_t next_file_number) const;
  // Loads the version from the manifest that CURRENT refers to. Returns null if there is no
  // CURRENT. Makes `store` skip file numbers that the manifest has assigned.
  static absl::StatusOr<std::shared_ptr<Version>> Load(TableStore* store);

 private:
  std::vector<std::unique_ptr<sstable::Iterator>> MemTableIterators() const;
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_VERSION_H_
