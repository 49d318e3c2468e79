// Where a block ends whose start is known, but whose checksum is wrong: by what its own bytes say.
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
    kUnknown,  // its bytes make no block; `end` is its start
    kWhole,    // `end` is the first byte after its trailer
    kCut,      // the file ends within it, at `end`
  };
  Kind kind = Kind::kUnknown;
  uint64_t end = 0;  // file offset
  // File offsets: start and end of its values, or of the runs of bytes that Snappy left as they
  // are. A table that is a value has each of its blocks within one of them, or they are not known.
  std::vector<std::pair<uint64_t, uint64_t>> values;
  // Of a raw block that is cut within a value: the key before that one's, which may be where a
  // damaged size, or bytes that were inserted, led the walk. If that is the first, its own.
  std::string last_key;
};

struct BlockExtentOptions {
  uint64_t limit = 0;            // file offset: no data block reaches beyond it
  bool may_be_cut = false;       // whether the block may have reached beyond `limit` once
  absl::string_view key_before;  // the last key of the block before it, if there is one
};

// Walks over the block that starts at file offset `start`: the sizes of a raw block's entries and
// its restart array, or the elements of a Snappy stream. A damaged byte of a key or value changes
// none of them, so that most damaged blocks can be walked to their end. Blocks that lie within are
// a value's: a table may be one.
//
// `starts_block` returns whether an intact block starts at a file offset; a value that reaches
// beyond the file and starts with one is believed more readily. Work is taken from `work`, in
// bytes; without any left the answer is kUnknown. `bytes` is the file, and is followed by
// kCopySlack (util/bytes.h) readable bytes.
BlockExtent FindBlockExtent(absl::string_view bytes, uint64_t start,
                            const BlockExtentOptions& options,
                            absl::FunctionRef<bool(uint64_t offset)> starts_block, Budget* work);

// Whether the bytes from file offset `start` to `end` are, but for damage among its entries, one
// raw block with its trailer: whether they end in a restart array, and entries reach from one
// restart point exactly to the next for at least half of them; `*values` are those of these. Always
// false for a block with one. Both offsets are within `bytes`; work is taken as above.
bool IsRawBlock(absl::string_view bytes, uint64_t start, uint64_t end, Budget* work,
                std::vector<std::pair<uint64_t, uint64_t>>* values);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_BLOCK_EXTENT_H_
