// Finds blocks in a file by their checksums alone, without an index.
#ifndef SSTABLE_TABLE_SALVAGE_CARVE_H_
#define SSTABLE_TABLE_SALVAGE_CARVE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "sstable/format.h"

namespace sstable {

enum class CarveVerdict {
  kBlock,
  kNoBlock,  // the checksum matches by chance
  kStop,     // enough work has been done
};

struct CarveResult {
  std::vector<BlockHandle> blocks;  // by offset; they do not overlap

  // The offset at which the search was abandoned. Only set if `try_block` stops it, or if there are
  // more runs with a correct checksum than there can be blocks.
  std::optional<uint64_t> stopped_at;
};

// Finds every byte run whose block trailer has the correct checksum, in one pass: time and memory
// are proportional to the file, whatever the size of the blocks. Of overlapping runs, the one that
// starts first is a block, since a block may contain another table as a value. `try_block` is
// called in order of offset; `adjacent` is true if the run starts where the last block ends, or at
// the start of the file.
//
// Runs are searched for where a block can start: after another block, at the start of the file, or
// where the bytes look like the first entry of a block, raw or compressed by a codec of
// table/block/compression.h. So a filter block after damage is not found, and a block of 16 MiB or
// more may not be.
//
// `bytes` must have kCopySlack (util/bytes.h) readable bytes after them.
CarveResult CarveBlocks(
    absl::string_view bytes,
    absl::FunctionRef<CarveVerdict(const BlockHandle& handle, bool adjacent)> try_block);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_CARVE_H_
