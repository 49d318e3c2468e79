// Reads and sorts a table whose keys are not in its database's order.
#ifndef SSTABLE_DB_SORTED_TABLE_H_
#define SSTABLE_DB_SORTED_TABLE_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/log_entries.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"

namespace sstable {

// Memory limit for all sorted tables of a view together.
inline constexpr uint64_t kMaxSortedBytes = uint64_t{128} << 20;

// Returns all entries of the table, sorted, with `table` as their log_index. Borrows `order`.
// Passes damage to `on_damage` and skips it. Charges the memory to `*bytes_left`. Errors:
// ResourceExhausted if there is too little left; errors of a limit on work.
absl::StatusOr<LogEntries> SortTable(const TableReader& reader, uint32_t table,
                                     const KeyOrder* order, uint64_t* bytes_left,
                                     const std::function<void(const absl::Status&)>& on_damage);

}  // namespace sstable

#endif  // SSTABLE_DB_SORTED_TABLE_H_
