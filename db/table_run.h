// A sequence of tables that do not overlap, such as the tables of a level, read as one.
#ifndef SSTABLE_DB_TABLE_RUN_H_
#define SSTABLE_DB_TABLE_RUN_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "db/entry_walk.h"
#include "db/key_search.h"
#include "db/view_tables.h"
#include "sstable/comparator.h"
#include "sstable/database_files.h"
#include "table/block/key_order.h"

namespace sstable {

struct TableRun {
  int level = -1;              // -1: levels are not known
  bool is_level = false;       // the only run of its level
  bool has_ranges = true;      // false: it has one table, whose range is not known
  std::vector<size_t> tables;  // indices in ViewTables, sorted by key
  KeySearch ends;              // finds a table by its largest key
};

// Divides the tables with `indices` into runs, ordered by level. If two tables overlap, the newer
// one is in the earlier run: on level 0 and without levels, the one with the higher number; on
// other levels, the first in `tables`. A table without a range (HasRange()) is a run of its own.
// Borrows `order`.
std::vector<TableRun> GroupIntoRuns(const std::vector<DatabaseTable>& tables,
                                    std::vector<size_t> indices, const KeyOrder* order);

// Returns true if the range of `table` is known and not reversed, as it may be in a wrong MANIFEST.
bool HasRange(const DatabaseTable& table, const Comparator* user_comparator);

// Returns the index in run.tables of the first table that ends at or after `key`; the number of
// tables if there is none.
inline size_t FindInRun(const TableRun& run, const std::vector<DatabaseTable>& tables,
                        const LookupKey& key) {
  if (!run.has_ranges) return 0;
  return run.ends.Find(
      key, [&](size_t place) -> absl::string_view { return tables[run.tables[place]].largest; });
}

using OnDamage = std::function<void(const DatabaseProblem&)>;

// For a key in no table's range, checks the range of the table before `place`: if it is wrong, the
// key may be in that table. `place` is what FindInRun() returned for `key`. Each table is checked
// once. Sets `*table`, an index in ViewTables, on error: DataLoss.
absl::Status CheckGapOnce(const TableRun& run, const ViewTables& tables, const KeyOrder& order,
                          const LookupKey& key, size_t place, size_t* table);
inline absl::Status CheckGap(const TableRun& run, const ViewTables& tables, const KeyOrder& order,
                             const LookupKey& key, size_t place, size_t* table) {
  const bool is_checked = place == 0 || tables.IsRangeRight(run.tables[place - 1]);
  if (ABSL_PREDICT_TRUE(is_checked)) return absl::OkStatus();
  return CheckGapOnce(run, tables, order, key, place, table);
}

// Iterates over the entries of a run. `tables`, `run` and `order` must outlive it. Damage ends the
// iteration; if `on_damage` is set, it is called instead, and the iteration continues after the
// damage.
std::unique_ptr<EntryWalk> NewRunIterator(const ViewTables* tables, const TableRun* run,
                                          const KeyOrder* order, OnDamage on_damage);

}  // namespace sstable

#endif  // SSTABLE_DB_TABLE_RUN_H_
