// Which blocks of a damaged file are those that its index names.
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
  bool certain = true;        // else one of `blocks` may be a copy of it that a value holds
  uint64_t inner_blocks = 0;  // taken to be within a damaged block that the index names: a value's
  uint64_t unnamed_blocks = 0;  // neither that, nor named
};

// `index` is sorted by offset, and its handles count from file offset `base`, or from 0 for those
// blocks that bytes were inserted or removed after. `index_offset`: where its own block is in the
// file, which is `bytes`. `found`: the blocks that are known, by entry, each at its handle's place.
// Blocks that `carved` takes for something else than data are passed over.
//
// A block is an entry's by its keys and size. A value may hold a copy of it, of an older time. It
// is no copy if it is at one of these places, where none of a value can be:
//   1. where the index has a block with its keys, from `base` or from 0;
//   2. right before or after a block that is none of a value's, such as the index itself;
//   3. as far from such a block as the index has it, where all blocks between the two are lost: all
//      that were not found there, or few of them, as many sums of sizes fit by chance.
// So blocks are found that were moved by different amounts, as where two of unequal size changed
// places. Of the others, a copy is held by a lost block that is larger: where the index has none
// that may reach there, it is a moved block. Else it is left out if the lost blocks have known
// places, which their neighbours or the table's start show, and it is within them. Where they may
// have moved, it is taken, and `certain` is false then: first those that stand between the blocks
// that the index has before and after them.
BlockPlaces PlaceBlocks(const Index& index, int64_t base, uint64_t index_offset,
                        absl::string_view bytes, const CarvedFile& carved,
                        std::vector<std::optional<ScannedBlock>> found,
                        const std::optional<const Comparator*>& comparator);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_BLOCK_PLACES_H_
