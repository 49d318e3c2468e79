// Detects signs that a MANIFEST is wrong or out of date, although all of it can be read.
#ifndef SSTABLE_DB_VIEW_DOUBTS_H_
#define SSTABLE_DB_VIEW_DOUBTS_H_

#include <cstdint>
#include <set>

#include "db/view_state.h"

namespace sstable {

// Adds to state->problems: that the MANIFEST is out of date, if a table that no edit names has an
// entry that no table or log of the database has; that there is a newer MANIFEST; and that tables
// of a level overlap. The state must be complete except for its left-over files. Of the tables that
// no edit names, examines entries up to 64 MiB; a note says if that was not all. Returns the
// numbers of the tables that show that the MANIFEST is out of date.
std::set<uint64_t> FindDoubts(ViewState* state);

}  // namespace sstable

#endif  // SSTABLE_DB_VIEW_DOUBTS_H_
