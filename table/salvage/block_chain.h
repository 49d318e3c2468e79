// Which blocks of a file are its own table's, by their places alone.
//
// The first block starts where the file starts, and each other one where the one before it ends.
// A damaged block that can be walked to its end (table/salvage/block_extent.h) doesn't break that
// chain, and what is within it is a value. Beyond one that can't be walked, blocks may be the
// table's own, or those of a table that was a value of the damaged block; these are known where the
// walk leads to the start of that value, and their keys are not above those before.
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

  std::vector<Standing> standing;  // by block of the CarvedFile
};

struct BlockChainOptions {
  // Whether the file starts where its table does, as far as is known. Else a block that starts
  // there is one that is intact.
  bool starts_at_zero = true;
  // File offset: where the data blocks end, or the file does.
  uint64_t limit = 0;
  bool limit_known = false;           // the former, for sure
  std::optional<uint64_t> last_size;  // of the data block that ends there, as its index has it
  bool may_be_cut = true;             // whether a block may have reached beyond the file's end once
};

BlockChain FollowChain(const ScannedFile& file, const CarvedFile& carved,
                       const BlockChainOptions& options);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_BLOCK_CHAIN_H_
