// Determines which tables have newer versions of a key than others, and from that the levels of the
// tables.
//
// A search goes from level 0, newest table first, to the highest level, and ends at the first entry
// with its key. So if two tables have entries with the same user key, the one with the newer entry
// must come first.
#ifndef SSTABLE_DB_SALVAGE_TABLE_ORDER_H_
#define SSTABLE_DB_SALVAGE_TABLE_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/salvage/new_table.h"
#include "sstable/comparator.h"

namespace sstable {

// Pairs of table indexes: the first has a newer version of a user key that both have.
using NewerThan = std::set<std::pair<size_t, size_t>>;

// An entry to search for in the tables that no edit names.
struct SoughtEntry {
  enum class Found { kNewerVersion, kEntry };
  std::string key;                // internal
  std::map<size_t, Found> found;  // by the index of each table that has it or a newer version
};

// Merges all tables in one pass, counts their contents and searches for `sought`. Tables whose keys
// are far apart are not open at the same time. `on_progress` is called regularly. Errors: read
// errors; errors from `on_progress`.
absl::StatusOr<NewerThan> CompareTables(absl::string_view folder, const Comparator* comparator,
                                        const std::function<absl::Status(uint64_t)>& on_progress,
                                        std::vector<NewTable>* tables,
                                        std::vector<SoughtEntry>* sought);

// Returns true if the levels of the tables are known and correct: above level 0, no tables of a
// level overlap, and newer versions come first.
bool LevelsFit(const std::vector<NewTable>& tables, const NewerThan& newer,
               const Comparator& comparator);

// Finds groups of tables that can't be ordered, since each has a newer version than another of its
// group. They must be merged.
std::vector<std::vector<size_t>> FindCycles(size_t table_count, const NewerThan& newer);

// Sets the level of each table: the deepest one above all older tables that overlap it, or 0 if
// there is none. Requires that there are no cycles. Returns the tables of level 0, oldest first:
// their numbers must ascend in this order.
std::vector<size_t> ArrangeLevels(const NewerThan& newer, const Comparator& comparator,
                                  std::vector<NewTable>* tables);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_TABLE_ORDER_H_
