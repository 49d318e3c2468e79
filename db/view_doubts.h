// Detects doubts about a state that a MANIFEST describes, although all of it can be read.
#ifndef SSTABLE_DB_VIEW_DOUBTS_H_
#define SSTABLE_DB_VIEW_DOUBTS_H_

#include <cstdint>
#include <set>

#include "db/view_state.h"

namespace sstable {

// Adds to state->problems. The first is that the MANIFEST is older than the folder, if a table that
// no edit names has an entry that no table or log of the database has. Others are a newer MANIFEST,
// and tables of a level that overlap. The state must be complete except for its left-over files. Of
// the tables that no edit names, examines entries up to 64 MiB; a note says if that was not all.
// Returns the numbers of the tables that show the MANIFEST to be old.
std::set<uint64_t> FindDoubts(ViewState* state);

}  // namespace sstable

#endif  // SSTABLE_DB_VIEW_DOUBTS_H_
