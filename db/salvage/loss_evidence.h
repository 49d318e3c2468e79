// What a rescued folder shows about its losses, once all files are rescued.
#ifndef SSTABLE_DB_SALVAGE_LOSS_EVIDENCE_H_
#define SSTABLE_DB_SALVAGE_LOSS_EVIDENCE_H_

#include <vector>

#include "db/salvage/new_table.h"
#include "db/salvage/source_folder.h"
#include "db/salvage/table_order.h"
#include "db/salvage/table_rescue.h"
#include "sstable/database_files.h"
#include "sstable/salvage.h"

namespace sstable {

// Reports the tables of the MANIFEST that were not found, `absent`, as lost or as compacted since.
// `sought` has the first and the last entry of each, with the `tables` in which they were found.
void ReportAbsentTables(const SourceFolder& source, const std::vector<NewTable>& tables,
                        const std::vector<const TableFile*>& absent,
                        const std::vector<SoughtEntry>& sought, DatabaseSalvageReport* report);

// Sets RescuedFile::may_have_lost: tables that were left out may have the lost entries of others if
// their ranges overlap, or if a range is not known. Reads their first and last keys.
void FindTablesWithLost(const RescueContext& context, DatabaseSalvageReport* report);

// Reports the log that the MANIFEST names, if it is missing. If nothing else is lost, and the
// MANIFEST counts later changes than `tables` have, it was not empty.
void ReportMissingLog(const SourceFolder& source, const std::vector<NewTable>& tables,
                      DatabaseSalvageReport* report);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_LOSS_EVIDENCE_H_
