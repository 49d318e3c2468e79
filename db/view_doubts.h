// Detects signs that a MANIFEST is wrong or out of date, although all of it can be read.
#ifndef SSTABLE_DB_VIEW_DOUBTS_H_
#define SSTABLE_DB_VIEW_DOUBTS_H_

#include <cstdint>
#include <set>

#include "db/view_state.h"

namespace sstable {

// Adds these to state->problems: the MANIFEST is out of date, since a table that no edit names has
// an entry that no table or log of the database has; there is a newer MANIFEST; tables of a level
// overlap. The state must be complete except for its left-over files. Reads at most 64 MiB of
// entries of the tables that no edit names; a note says if that was not all. Returns the numbers of
// the tables that show that the MANIFEST is out of date.
std::set<uint64_t> FindDoubts(ViewState* state);

}  // namespace sstable

#endif  // SSTABLE_DB_VIEW_DOUBTS_H_
