// Selects blocks of a file that may form one table by their keys alone: keys of a table ascend.
#ifndef SSTABLE_TABLE_SALVAGE_HEAVIEST_CHAIN_H_
#define SSTABLE_TABLE_SALVAGE_HEAVIEST_CHAIN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "table/block/key_order.h"

namespace sstable {

// Contiguous blocks whose keys ascend.
struct BlockRun {
  absl::string_view first_key;
  absl::string_view last_key;
  uint64_t own_size = 0;  // bytes of its blocks that are certainly the table's own
  uint64_t size = 0;      // bytes of all of its blocks
};

// Selects from `runs`, which are in order of offset, some whose keys ascend from each to the next:
// the selection with the most bytes that are certainly the table's own, and among those, with the
// most bytes. Returns their indexes in `runs`, ascending. Takes n log n comparisons of keys.
std::vector<size_t> FindHeaviestChain(absl::Span<const BlockRun> runs, const KeyOrder& order);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_HEAVIEST_CHAIN_H_
