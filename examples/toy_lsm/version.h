// What the database is made of at one time, in memory and on disk.
//
// Format:  CURRENT, the manifest, is one record as in log.h. Its sequence is the last that is in
//          tables, its payload the varint number of the oldest log that is needed, then of each
//          level: varint count of tables, and of each table varint number, sized smallest and
//          largest user key. LevelDB expects other things in CURRENT, and so refuses the folder
//          where it might otherwise clear it.
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
#include "sstable/merging_iterator.h"
#include "sstable/table_reader.h"

namespace toy_lsm {

// Immutable once shared, so it is read without a lock.
struct Version {
  std::shared_ptr<MemTable> memtable;
  std::shared_ptr<MemTable> full_memtable;  // being flushed; or null
  // Level 0 newest first; its tables may overlap. The others by key; a level has all versions of a
  // user key in one table.
  std::array<std::vector<TablePtr>, kLevelCount> levels;
  uint64_t last_sequence = 0;  // that is in tables
  uint64_t log_number = 0;     // what stands in logs below this one is in tables

  // The newest version of `key` that `snapshot` can see.
  absl::StatusOr<sstable::Presence> Find(absl::string_view key, uint64_t snapshot,
                                         std::string* value) const;

  // Over the internal keys of all that there is. The version must outlive it.
  std::unique_ptr<sstable::MergingIterator> NewIterator() const;

  // The tables of `level` that may have `key`: of level 0 all, of another the first, if any, that
  // ends at it or behind it.
  absl::Span<const TablePtr> TablesFor(int level, absl::string_view key) const;
  // The tables of `level` that overlap the range of `others`, which is from their smallest to their
  // largest key.
  std::vector<TablePtr> Overlapping(int level, const std::vector<TablePtr>& others) const;
  uint64_t LevelSize(int level) const;

  // This version without `removed`, and with `added` in `level`: there follow each other, and
  // overlap nothing but what is removed; or are newest, in level 0.
  std::shared_ptr<Version> With(int level, const std::vector<TablePtr>& added,
                                const std::vector<TablePtr>& removed) const;

  // Durable when it returns. After an error it is open whether the database is the old or the new
  // one, so nothing of either may be removed.
  absl::Status Save(const std::string& folder) const;
  // Null if there is no CURRENT.
  static absl::StatusOr<std::shared_ptr<Version>> Load(const TableStore& store);
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_VERSION_H_
