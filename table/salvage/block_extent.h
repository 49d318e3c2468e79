// Finds the end of a block with a known start and a wrong checksum, from its own bytes.
#ifndef SSTABLE_TABLE_SALVAGE_BLOCK_EXTENT_H_
#define SSTABLE_TABLE_SALVAGE_BLOCK_EXTENT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "table/block/limits.h"

namespace sstable {

struct BlockExtent {
  enum class Kind {
    kUnknown,  // its bytes do not form a block; `end` is its start
    kWhole,    // `end` is the first byte after its trailer
    kCut,      // the file ends within it, at `end`
  };
  Kind kind = Kind::kUnknown;
  uint64_t end = 0;  // file offset
  // File offsets of the start and end of each value, or of each run of bytes that Snappy copied
  // literally. Each block of a table that is a value lies within one of them, or they are not
  // known.
  std::vector<std::pair<uint64_t, uint64_t>> values;
  // For a raw block that is cut within a value: the key before that value's, where a damaged size
  // or inserted bytes may have led the walk; the value's own if it is the first.
  std::string last_key;
};

struct BlockExtentOptions {
  uint64_t limit = 0;            // file offset: no data block reaches beyond it
  bool may_be_cut = false;       // whether the block may have reached beyond `limit` once
  absl::string_view key_before;  // the last key of the previous block, if there is one
};

// Walks over the block that starts at file offset `start`: the sizes of a raw block's entries and
// its restart array, or the elements of a Snappy stream. Damage to a byte of a key or value changes
// none of these, so most damaged blocks can be walked to their end. Blocks inside it belong to a
// value, which may be a table.
//
// `starts_block` returns true if an intact block starts at a file offset; a value that extends
// beyond the file is more credible if it starts with one. Charges `work`, in bytes; if that runs
// out, returns kUnknown. `bytes` is the file, followed by kCopySlack (util/bytes.h) readable bytes.
BlockExtent FindBlockExtent(absl::string_view bytes, uint64_t start,
                            const BlockExtentOptions& options,
                            absl::FunctionRef<bool(uint64_t offset)> starts_block, Budget* work);

// Returns true if the bytes from file offset `start` to `end` are one raw block with its trailer,
// apart from damage to its entries: they end in a restart array, and for at least half of the
// restart points, entries lead exactly to the next; `*values` is set to the values of these. Always
// false for a block with a single restart point. Both offsets are within `bytes`; `work` is charged
// as above.
bool IsRawBlock(absl::string_view bytes, uint64_t start, uint64_t end, Budget* work,
                std::vector<std::pair<uint64_t, uint64_t>>* values);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_BLOCK_EXTENT_H_
