// The logs of a folder, as a view reads them.
#ifndef SSTABLE_DB_VIEW_LOGS_H_
#define SSTABLE_DB_VIEW_LOGS_H_

#include "db/view_state.h"

namespace sstable {

// Adds the database's logs and their entries to `state`, sorted if the order of keys is known.
// Clears state->found_all if a program changed the folder meanwhile: a log is gone, or sequences
// before the first log's are missing and may be in a table added since. Requires state->found and
// state->order.
void ReadLogs(bool resumes_within_block, ViewState* state);

}  // namespace sstable

#endif  // SSTABLE_DB_VIEW_LOGS_H_
