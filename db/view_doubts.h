// What makes a state that a MANIFEST describes doubtful, though all of it can be read.
#ifndef SSTABLE_DB_VIEW_DOUBTS_H_
#define SSTABLE_DB_VIEW_DOUBTS_H_

#include <cstdint>
#include <set>

#include "db/view_state.h"

namespace sstable {

// Adds to state->problems: first of all that the MANIFEST is older than the folder, if a table that
// no edit names has an entry that no table or log of the database has; a newer MANIFEST; tables of
// a level that overlap. The state has all but its left over files. Of the tables that no edit
// names, entries of 64 MiB are looked at; a note says where that was not all. Returns the numbers
// of those that make the MANIFEST old.
std::set<uint64_t> FindDoubts(ViewState* state);

}  // namespace sstable

#endif  // SSTABLE_DB_VIEW_DOUBTS_H_
