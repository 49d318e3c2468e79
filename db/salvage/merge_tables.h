// Merges several tables of the new folder into one.
#ifndef SSTABLE_DB_SALVAGE_MERGE_TABLES_H_
#define SSTABLE_DB_SALVAGE_MERGE_TABLES_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "db/salvage/new_table.h"
#include "db/salvage/table_rescue.h"

namespace sstable {

// Merges the tables at the indices `group` of `tables`. Entries that several of them have are
// written once. Errors: read and write errors; errors from on_progress.
absl::StatusOr<NewTable> MergeTables(const std::vector<NewTable>& tables,
                                     const std::vector<size_t>& group, RescueContext* context);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_MERGE_TABLES_H_
