// Finds the blocks of a damaged file that its index names.
#ifndef SSTABLE_TABLE_SALVAGE_BLOCK_PLACES_H_
#define SSTABLE_TABLE_SALVAGE_BLOCK_PLACES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "table/block/index_entries.h"
#include "table/salvage/carved_file.h"
#include "table/salvage/scanned_file.h"

namespace sstable {

struct BlockPlaces {
  std::vector<std::optional<ScannedBlock>> blocks;  // by entry of the index
  bool certain = true;          // else one of `blocks` may be a copy of it that a value holds
  uint64_t inner_blocks = 0;    // taken to be part of a value in a damaged block of the index
  uint64_t unnamed_blocks = 0;  // neither that, nor named
};

// `index` is sorted by offset, and its handles count from file offset `base`, or from 0 for blocks
// before which no bytes were inserted or removed. `index_offset` is the offset of its own block in
// the file, `bytes`. `found` has, by entry, the blocks known to be at their handle's offset. Blocks
// that `carved` takes for something other than data are skipped.
//
// A block belongs to the entry that has its keys and size. A value may contain an older copy of it.
// It is certainly not a copy if it is at one of these places, where no block of a value can be:
//   1. where the index has a block with its keys, counted from `base` or from 0;
//   2. right before or after a block of the table, such as the index itself;
//   3. as far from such a block as in the index, with only lost blocks between the two: either all
//      that were not found there, or a few, since many sums of sizes would match by chance.
// This finds blocks that moved by different amounts, for instance after two of unequal size changed
// places. Any other block may be a copy inside a lost block. It is
//   - the table's, if no lost block is large enough and may be there;
//   - taken in doubt, with `certain` false, if the block that it belongs to was not found: first
//     those between their neighbours in the index; last those inside a lost block whose place its
//     neighbours or the table's start show, together with all blocks contiguous with them;
//   - left out otherwise.
BlockPlaces PlaceBlocks(const Index& index, int64_t base, uint64_t index_offset,
                        absl::string_view bytes, const CarvedFile& carved,
                        std::vector<std::optional<ScannedBlock>> found,
                        const Comparator* comparator);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_BLOCK_PLACES_H_
