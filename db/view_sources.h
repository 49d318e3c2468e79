// The sources from which a view reads its entries.
#ifndef SSTABLE_DB_VIEW_SOURCES_H_
#define SSTABLE_DB_VIEW_SOURCES_H_

#include <memory>
#include <vector>

#include "db/entry_walk.h"
#include "db/table_run.h"
#include "db/view_state.h"

namespace sstable {

// Returns the logs and tables in the order in which LevelDB searches them. `state` must outlive
// them, and must have a comparator. `on_damage`: see NewRunIterator().
std::vector<std::unique_ptr<EntryWalk>> SourcesOf(const ViewState& state,
                                                  const OnDamage& on_damage);

}  // namespace sstable

#endif  // SSTABLE_DB_VIEW_SOURCES_H_
