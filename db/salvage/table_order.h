// Which tables have newer versions of a key than others, and the levels that follow from it.
//
// A search goes from level 0, newest table first, to the highest level, and ends at the first entry
// of its key. So of two tables with entries of a user key, the one with the newer entry must come
// first.
#ifndef SSTABLE_DB_SALVAGE_TABLE_ORDER_H_
#define SSTABLE_DB_SALVAGE_TABLE_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
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

// Pairs of indices of tables: the first has the newer version of a user key that both have.
using NewerThan = std::set<std::pair<size_t, size_t>>;

// An entry that is looked for in the tables that no edit names.
struct SoughtEntry {
  enum class Found { kNothing, kNewerVersion, kEntry };
  std::string key;  // internal
  Found found = Found::kNothing;
};

// Reads all tables once, together, counts what they have and looks for `sought`. Tables whose keys
// are far apart are not open at the same time. Errors: those of reading; `on_progress`'s, which is
// called now and then.
absl::StatusOr<NewerThan> CompareTables(absl::string_view folder, const Comparator* comparator,
                                        const std::function<absl::Status(uint64_t)>& on_progress,
                                        std::vector<NewTable>* tables,
                                        std::vector<SoughtEntry>* sought);

// Whether the levels that the tables have are known and right: in each above 0 no tables overlap,
// and newer versions come first.
bool LevelsFit(const std::vector<NewTable>& tables, const NewerThan& newer,
               const Comparator& comparator);

// Groups of tables of which no order is right, since each has a version newer than one of another.
// They must be merged.
std::vector<std::vector<size_t>> FindCycles(size_t table_count, const NewerThan& newer);

// Sets the level of each table, if there are no cycles: the highest on which no older table
// overlaps it, and which is lower than those of older tables that do; level 0 if that leaves none.
// Returns the tables of level 0, the oldest first: their numbers must ascend in this order.
std::vector<size_t> ArrangeLevels(const NewerThan& newer, const Comparator& comparator,
                                  std::vector<NewTable>* tables);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_TABLE_ORDER_H_
