// Decides which blocks of a file are its own table's from their offsets alone.
//
// The first block starts at the start of the file, and each other one where the previous one ends.
// A damaged block that can be walked to its end (table/salvage/block_extent.h) does not break that
// chain, and blocks inside it are part of a value. After one that can't be walked, blocks may be
// the table's own, or those of a table that was a value of the damaged block. The latter are
// recognized if the walk leads to the start of that value, and their keys are not above those
// before.
#ifndef SSTABLE_TABLE_SALVAGE_BLOCK_CHAIN_H_
#define SSTABLE_TABLE_SALVAGE_BLOCK_CHAIN_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "table/salvage/carved_file.h"
#include "table/salvage/scanned_file.h"

namespace sstable {

struct BlockChain {
  enum class Standing : uint8_t {
    kUnknown,
    kOwn,    // in the chain from the start, or in that to the end
    kInner,  // within a value of a damaged block
  };

  Standing Of(const CarvedFile& carved, const CarvedBlock& block) const {
    return standing[static_cast<size_t>(&block - carved.blocks.data())];
  }

  std::vector<Standing> standing;  // for each block of the CarvedFile
};

struct BlockChainOptions {
  // True if, as far as is known, the file starts where its table does. If false, only an intact
  // block can be the first.
  bool starts_at_zero = true;
  // File offset at which the data blocks end, or else the file.
  uint64_t limit = 0;
  bool limit_known = false;           // the data blocks certainly end there
  std::optional<uint64_t> last_size;  // by the index, the size of the data block that ends there
  bool may_be_cut = true;             // whether a block may have reached beyond the file's end once
};

BlockChain FollowChain(const ScannedFile& file, const CarvedFile& carved,
                       const BlockChainOptions& options);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_BLOCK_CHAIN_H_
