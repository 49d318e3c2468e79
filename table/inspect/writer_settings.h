// Guesses from the data blocks of a table with which settings it was written, for a new table like
// it.
#ifndef SSTABLE_TABLE_INSPECT_WRITER_SETTINGS_H_
#define SSTABLE_TABLE_INSPECT_WRITER_SETTINGS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sstable/options.h"
#include "table/block/block.h"

namespace sstable {

// Pattern:   AddBlock* ApplyTo
// Threads:   one at a time.
class WriterSettings {
 public:
  // Adds a data block, all entries of which can be decoded. Blocks come in the order in which they
  // were written; the last one may be smaller.
  void AddBlock(Codec codec, const Block& block);

  // Sets compression, block size and restart interval. Keeps a setting of `options` that would have
  // given the same blocks. With the result, the same version of the codec, and LevelDB's rules, the
  // table's entries yield the same blocks again, unless Flush() ended some of them.
  void ApplyTo(TableBuilderOptions* options) const;

 private:
  // The codec of most blocks. Uncompressed blocks count only if there are no others: with every
  // codec, blocks that would not shrink are stored uncompressed.
  Compression GetCompression() const;
  size_t GuessBlockSize(size_t preferred) const;
  int GuessRestartInterval(int preferred) const;

  std::array<uint64_t, static_cast<size_t>(Codec::kUnknown) + 1> blocks_by_codec_ = {};

  // A block ends with the entry with which it reaches the block size. So the block size is above
  // the block's size before its last entry, and at most its final size, if the block was full.
  size_t max_size_before_last_ = 0;
  std::vector<size_t> sizes_;

  // Entries between the first two restart points; 0 until a block has two.
  size_t restart_interval_ = 0;
  size_t max_entries_without_restart_ = 0;  // in a block with a single restart point
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_WRITER_SETTINGS_H_
