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
  kNoBlock,  // the checksum is right by chance
  kStop,     // enough work has been done
};

struct CarveResult {
  std::vector<BlockHandle> blocks;  // in order of offset; none overlaps another

  // Where the search was given up; nothing from there on was looked at. Never, unless
  // `try_block` stops it, or there are more runs with a right checksum than blocks have room
  // for.
  std::optional<uint64_t> stopped_at;
};

// Finds every run of bytes whose block trailer has its checksum, in one pass: time and memory
// are proportional to the file, however long the blocks are. Of runs that overlap, the one that
// starts first is a block, as a block may have another table for a value. `try_block` is asked
// in order of offset; `adjacent`: the run starts where the last block ends, or the
// file starts.
//
// A run is looked for where a block can start: after another one, at the start of the file, or
// where bytes look like the first entry of a block, raw or as a codec of table/block/compression.h
// stores it. So a filter block after damage is not found, nor, perhaps, a block of 16 MiB or more.
//
// `bytes` have kCopySlack (util/bytes.h) readable bytes after them.
CarveResult CarveBlocks(
    absl::string_view bytes,
    absl::FunctionRef<CarveVerdict(const BlockHandle& handle, bool adjacent)> try_block);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_CARVE_H_
