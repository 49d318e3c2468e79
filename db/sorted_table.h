// A table whose keys are in another order than its database's, read as a whole.
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

// What all tables of a view that are sorted may take in memory.
inline constexpr uint64_t kMaxSortedBytes = uint64_t{128} << 20;

// All entries of the table, sorted; `table` is the log_index of each. Borrows `order`. Damage is
// shown to `on_damage` and skipped. Takes what they need from `*bytes_left`. Errors:
// ResourceExhausted if that is too little; that of a limit on work.
absl::StatusOr<LogEntries> SortTable(const TableReader& reader, uint32_t table,
                                     const KeyOrder* order, uint64_t* bytes_left,
                                     const std::function<void(const absl::Status&)>& on_damage);

}  // namespace sstable

#endif  // SSTABLE_DB_SORTED_TABLE_H_
