// All that a view reads its entries from.
#ifndef SSTABLE_DB_VIEW_SOURCES_H_
#define SSTABLE_DB_VIEW_SOURCES_H_

#include <memory>
#include <vector>

#include "db/entry_source.h"
#include "db/table_run.h"
#include "db/view_state.h"

namespace sstable {

// The logs and tables, those that LevelDB looks into first in front. `state` must outlive them, and
// has a comparator. `on_damage`: as of NewRunIterator().
std::vector<std::unique_ptr<EntrySource>> SourcesOf(const ViewState& state,
                                                    const OnDamage& on_damage);

}  // namespace sstable

#endif  // SSTABLE_DB_VIEW_SOURCES_H_
