// Which blocks of a damaged file are those that its index names.
#ifndef SSTABLE_TABLE_SALVAGE_BLOCK_PLACES_H_
#define SSTABLE_TABLE_SALVAGE_BLOCK_PLACES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "table/salvage/carved_file.h"
#include "table/block/index_entries.h"
#include "table/salvage/scanned_file.h"
#include "util/comparator.h"

namespace sstable {

struct BlockPlaces {
  std::vector<std::optional<ScannedBlock>> blocks;  // by entry of the index
  uint64_t inner_blocks = 0;    // within a damaged block that the index names: a value's
  uint64_t unnamed_blocks = 0;  // neither that, nor named
};

// `index` is sorted by offset, and its handles count from file offset `base`, or from 0 for those
// blocks that bytes were inserted or removed after. `found`: the blocks that are known, by entry,
// each at its handle's place. Blocks that `carved` takes for something else than data are passed
// over.
//
// A block is an entry's by its keys and size, and stands where the index has a block: so it is no
// copy of an older time that a value holds. Only where the blocks before and after were moved by
// different amounts it may be anywhere between them.
BlockPlaces PlaceBlocks(const Index& index, int64_t base, const CarvedFile& carved,
                        std::vector<std::optional<ScannedBlock>> found,
                        const std::optional<const Comparator*>& comparator);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_BLOCK_PLACES_H_
