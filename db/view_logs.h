// The logs of a folder, as a view reads them.
#ifndef SSTABLE_DB_VIEW_LOGS_H_
#define SSTABLE_DB_VIEW_LOGS_H_

#include "db/view_state.h"

namespace sstable {

// Adds the logs that the state needs to it, and their entries, sorted if its order is known. Clears
// state->found_all if a log was removed meanwhile, or if a table may have been added that has the
// sequences before those of the logs. Requires state->found, and the order.
void ReadLogs(bool resumes_within_block, ViewState* state);

}  // namespace sstable

#endif  // SSTABLE_DB_VIEW_LOGS_H_
