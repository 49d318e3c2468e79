// Finds old values that come back because a deletion or a newer value is lost.
#ifndef SSTABLE_DB_SALVAGE_REVIVALS_H_
#define SSTABLE_DB_SALVAGE_REVIVALS_H_

#include <vector>

#include "db/salvage/new_table.h"
#include "db/salvage/source_folder.h"
#include "sstable/comparator.h"
#include "sstable/salvage.h"

namespace sstable {

// Sets LostEntries::may_revive for lost entries whose keys may have older entries in `tables`, the
// tables of the new folder. `levels_kept`: the tables keep their levels from the MANIFEST.
void FindRevivals(const std::vector<NewTable>& tables, const SourceFolder& source,
                  const Comparator& comparator, bool levels_kept,
                  std::vector<LostEntries>* all_lost);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_REVIVALS_H_
