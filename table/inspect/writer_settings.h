// What a table was written with, as far as its data blocks show: for a new table that is like it.
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
  // were written; the last one need not be full.
  void AddBlock(Codec codec, const Block& block);

  // Sets compression, block size and restart interval. What the blocks do not show stays: a setting
  // of `options` that would have given these blocks, too. With the result, and the same library of
  // the codec, the entries of a table by LevelDB's rules give its blocks again, unless Flush()
  // ended some of them.
  void ApplyTo(TableBuilderOptions* options) const;

 private:
  // The codec of most blocks. Those stored raw do not count if there are others: blocks that would
  // not get smaller are raw with every codec.
  Compression GetCompression() const;
  size_t GuessBlockSize(size_t preferred) const;
  int GuessRestartInterval(int preferred) const;

  std::array<uint64_t, static_cast<size_t>(Codec::kUnknown) + 1> blocks_by_codec_ = {};

  // A block ends with the entry that makes it as large as the block size. So the block size is
  // above what a block had before its last entry, and at most what it had then, if it was full.
  size_t max_size_before_last_ = 0;
  std::vector<size_t> sizes_;

  // Entries between the first two restart points; 0 until a block has two.
  size_t restart_interval_ = 0;
  size_t max_entries_without_restart_ = 0;  // in a block with one restart point
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_WRITER_SETTINGS_H_
