// The iterator of sstable/c.h.
#ifndef SSTABLE_C_C_ITERATOR_H_
#define SSTABLE_C_C_ITERATOR_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "c/bounded_iterator.h"
#include "c/c_objects.h"
#include "c/table_entries.h"
#include "sstable/c.h"
#include "sstable/comparator.h"
#include "sstable/iterator.h"
#include "sstable/table_reader.h"
#include "table/block_run.h"

struct sstable_iterator {
  std::shared_ptr<const void> source;  // keeps the source alive
  // The table whose entries are iterated over; if null, `new_live` makes the iterator.
  const sstable::TableReader* table = nullptr;
  // Collects the damage that is skipped; null: damage ends an iteration.
  std::shared_ptr<sstable::SkippedDamage> skipped;
  std::function<std::unique_ptr<sstable::Iterator>()> new_live;
  // The order of the keys; null if the library does not know it, and then there are no entries.
  const sstable::Comparator* comparator = nullptr;
  sstable::Bounds bounds;
  // If set, only keys with this prefix are visited, and a table's filter may rule it out. `bounds`
  // are then empty, unless damage is skipped.
  std::optional<std::string> prefix;

  std::unique_ptr<sstable::Iterator> entries;  // null at first and after a failure
  // Both point to `entries`: `all_entries` if it iterates over all of a table, `runs` if it can
  // copy runs of entries; else null.
  sstable::TableEntries* all_entries = nullptr;
  sstable::RunSource* runs = nullptr;
  // The error that cleared `entries`; not a Status, which may need memory.
  sstable_code failure = SSTABLE_OK;
  const char* failure_message = "";
};

namespace sstable {

// Iterates over all entries of `table`. Skips damage if `skipped` is not null.
std::unique_ptr<TableEntries> NewEntries(const TableReader& table,
                                         const std::shared_ptr<SkippedDamage>& skipped);

}  // namespace sstable

#endif  // SSTABLE_C_C_ITERATOR_H_
