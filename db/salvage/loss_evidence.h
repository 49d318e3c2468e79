// Reports losses that a rescued folder shows once all files are rescued.
#ifndef SSTABLE_DB_SALVAGE_LOSS_EVIDENCE_H_
#define SSTABLE_DB_SALVAGE_LOSS_EVIDENCE_H_

#include <vector>

#include "db/salvage/new_table.h"
#include "db/salvage/source_folder.h"
#include "db/salvage/table_order.h"
#include "db/salvage/table_rescue.h"
#include "sstable/comparator.h"
#include "sstable/database_files.h"
#include "sstable/salvage.h"

namespace sstable {

// Reports the MANIFEST's tables that were not found, `absent`, as lost or as compacted since.
// `sought` has the first and last entry of each, and the `tables` in which they were found.
void ReportAbsentTables(const SourceFolder& source, const std::vector<NewTable>& tables,
                        const std::vector<const TableFile*>& absent,
                        const std::vector<SoughtEntry>& sought, DatabaseSalvageReport* report);

// Sets RescuedFile::may_have_lost for tables that were left out and may have entries that others
// lost: their ranges overlap, or one is unknown. Reads the first and last keys of these tables.
void FindTablesWithLost(const RescueContext& context, DatabaseSalvageReport* report);

// Reports the log that the MANIFEST names, if it is missing. It was not empty if nothing else is
// lost and the MANIFEST's last sequence is above all sequences in `tables`.
void ReportMissingLog(const SourceFolder& source, const std::vector<NewTable>& tables,
                      DatabaseSalvageReport* report);

// Sets LostEntries::may_revive for lost entries whose keys may have older entries in `tables`, the
// tables of the new folder. `levels_kept`: the tables keep their levels from the MANIFEST.
void FindRevivals(const std::vector<NewTable>& tables, const SourceFolder& source,
                  const Comparator& comparator, bool levels_kept,
                  std::vector<LostEntries>* all_lost);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_LOSS_EVIDENCE_H_
