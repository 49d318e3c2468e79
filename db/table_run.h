// Tables that follow one another without overlapping, as those of a level do, read as one.
#ifndef SSTABLE_DB_TABLE_RUN_H_
#define SSTABLE_DB_TABLE_RUN_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "db/entry_source.h"
#include "db/key_search.h"
#include "db/view_tables.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"
#include "table/block/key_order.h"

namespace sstable {

struct TableRun {
  int level = -1;              // -1: of tables of any age
  bool is_level = false;       // the only one of its level, so that what it has is newer or older
  bool has_ranges = true;      // false: of one table, whose range is not known
  std::vector<size_t> tables;  // indices in ViewTables, by key
  KeySearch ends;              // finds a table by its largest key
};

// Divides those of the tables with `indices` into runs, in order of level: of two tables that
// overlap, the newer one is in the first. On level 0 and without levels, that is the one with the
// higher number; on other levels, the first in `tables`. A table without a range (HasRange()) is a
// run of its own. Borrows `order`.
std::vector<TableRun> GroupIntoRuns(const std::vector<DatabaseTable>& tables,
                                    std::vector<size_t> indices, const KeyOrder* order);

// Whether the range of `table` is known, and not reversed as that of a wrong MANIFEST may be.
bool HasRange(const DatabaseTable& table, const Comparator* user_comparator);

// The place in run.tables of the first one that ends at `key` or after it; the number of tables if
// there is none.
size_t FindInRun(const TableRun& run, const std::vector<DatabaseTable>& tables,
                 const LookupKey& key);

using OnDamage = std::function<void(const DatabaseProblem&)>;

// A key that no table of a run has in its range may yet be in a table whose range is wrong. Checks
// the last table before `place`, which FindInRun() found for `key`, once. Sets `*table`, an index
// in ViewTables, if there is an error: DataLoss.
absl::Status CheckGap(const TableRun& run, const ViewTables& tables, const KeyOrder& order,
                      const LookupKey& key, size_t place, size_t* table);

// Over the entries of a run. `tables`, `run` and `order` must outlive it. Damage ends the
// iteration; if `on_damage` is set, it is called instead, and the entries after the damage follow.
std::unique_ptr<EntrySource> NewRunIterator(const ViewTables* tables, const TableRun* run,
                                            const KeyOrder* order, OnDamage on_damage);

}  // namespace sstable

#endif  // SSTABLE_DB_TABLE_RUN_H_
