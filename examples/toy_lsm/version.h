// What the database is made of at one time, in memory and on disk.
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
#include "sstable/version_edit.h"

namespace toy_lsm {

// Immutable once shared, so it is read without a lock.
struct Version {
  std::shared_ptr<MemTable> memtable;
  std::shared_ptr<MemTable> full_memtable;  // being flushed; or null
  // Level 0 newest first; its tables may overlap. The others by key; a level has all versions of a
  // user key in one table.
  std::array<std::vector<TablePtr>, kLevelCount> levels;
  uint64_t last_sequence = 0;  // all that is in tables has this one or a lower one
  uint64_t log_number = 0;     // what stands in logs below this one is in tables

  // The newest version of `key` that `snapshot` can see.
  absl::StatusOr<sstable::Presence> Find(absl::string_view key, uint64_t snapshot,
                                         std::string* value) const;

  // Over the internal keys of all that there is. The version must outlive it.
  std::unique_ptr<sstable::MergingIterator> NewIterator() const;

  // The same without tables that have no user key that begins with `prefix`, by their range or
  // their filter. May have other keys.
  std::unique_ptr<sstable::MergingIterator> NewPrefixIterator(absl::string_view prefix) const;

  // The tables of `level` that may have `key`: of level 0 all, of another the first, if any, that
  // ends at it or behind it.
  absl::Span<const TablePtr> TablesFor(int level, absl::string_view key) const;
  // The tables of `level` that overlap the range of `others`, which is from their smallest to their
  // largest key.
  std::vector<TablePtr> Overlapping(int level, const std::vector<TablePtr>& others) const;
  uint64_t LevelSize(int level) const;

  // This version without `removed`, and with `added` in `level`: there follow each other, and
  // overlap nothing but what is removed; or are newest, in level 0. Puts this change into `*edit`.
  std::shared_ptr<Version> With(int level, const std::vector<TablePtr>& added,
                                const std::vector<TablePtr>& removed,
                                sstable::VersionEdit* edit) const;

  // The edit that makes this version from nothing: the first one of a manifest.
  sstable::VersionEdit Snapshot(uint64_t next_file_number) const;
  // What the manifest that CURRENT names makes; null if there is no CURRENT. Numbers that the
  // manifest has given away are not given again by `store`.
  static absl::StatusOr<std::shared_ptr<Version>> Load(TableStore* store);

 private:
  std::vector<std::unique_ptr<sstable::Iterator>> MemTableIterators() const;
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_VERSION_H_
