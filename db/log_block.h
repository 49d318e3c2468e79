// Where the fragments in a block of a log file go on after damage. Format: docs/database.md.
#ifndef SSTABLE_DB_LOG_BLOCK_H_
#define SSTABLE_DB_LOG_BLOCK_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace sstable {

// Where in `block` fragments go on after the damaged one at `position`, or block.size() if that is
// not certain: at `claimed_end`, where that one says that it ends, or at the first place from which
// two fragments follow one another, or one ends with the block. (A single one might be part of a
// value.) `is_cut`: the file's end cuts the block, so that a fragment may reach beyond it.
size_t FindResumption(absl::string_view block, size_t position, size_t claimed_end, bool is_cut);

}  // namespace sstable

#endif  // SSTABLE_DB_LOG_BLOCK_H_
