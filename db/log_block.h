// Finds where fragments continue after damage in a block of a log file. Format: docs/database.md.
#ifndef SSTABLE_DB_LOG_BLOCK_H_
#define SSTABLE_DB_LOG_BLOCK_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace sstable {

// Returns the offset in `block` at which fragments resume after the damaged one at `position`, or
// block.size() if that is uncertain. This is `claimed_end`, where the damaged fragment's size says
// that it ends, or the first offset where two fragments follow each other or one ends with the
// block. (A single one might be part of a value.) `is_cut`: the file's end cuts the block, so a
// fragment may extend beyond it.
size_t FindResumption(absl::string_view block, size_t position, size_t claimed_end, bool is_cut);

}  // namespace sstable

#endif  // SSTABLE_DB_LOG_BLOCK_H_
