// Checks whether a table's blocks are the ones that its footer and index refer to.
//
// A checksum shows that a block is as it was written, not which block it is. The footer has no
// checksum, so damage there may make another block the index; and a disk may write a block in place
// of another of the same size. Other parts of the table reveal that.
//
// Errors:  do not name file and block, except TableVerifier::index_status().
#ifndef SSTABLE_TABLE_INSPECT_BLOCK_IDENTITY_H_
#define SSTABLE_TABLE_INSPECT_BLOCK_IDENTITY_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/check.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/format.h"
#include "sstable/table_reader.h"
#include "table/block/block.h"
#include "table/block/block_iterator.h"
#include "table/block/key_order.h"

namespace sstable {

// Returns DataLoss, for the index block, if the data blocks that it names are not contiguous from
// the start of the file to the first other block, as every writer of LevelDB's format places them:
// the index may then be another block, or incomplete. RocksDB's tables may have bytes between
// blocks. Reads no block. An index that passes is not checked again.
absl::Status CheckExtent(const TableReader& reader);

// CheckExtent() for the parts of a file that could be read. `metaindex_status` is OK if
// `meta_blocks` are complete.
absl::Status CheckExtent(absl::Span<const BlockHandle> data_blocks, const Footer& footer,
                         const absl::Status& metaindex_status,
                         absl::Span<const MetaBlock> meta_blocks, CompressionNumbering dialect);

// Returns DataLoss unless `key`, which follows `last` in a block, is above it.
absl::Status CheckAscends(const KeyOrder& order, absl::string_view last, absl::string_view key);

// Compares the keys of data blocks with the index keys around them. Borrows the reader. Fast for
// blocks in ascending or descending order.
class BlockIdentityChecker {
 public:
  // `order_known` is true if the keys are in the order of `reader`.
  BlockIdentityChecker(const TableReader* reader, bool order_known);

  // `block` was read as data block `i`. Returns DataLoss unless all of its keys are above the
  // previous index key and at most its own index key; if the order is unknown, only if its last key
  // is the index key of another block and not its own.
  absl::Status Check(size_t i, const Block& block);

 private:
  bool ReadIndexKey(size_t i, std::string* key);

  const TableReader* reader_;
  const bool order_known_;
  std::string key_before_, key_;  // index keys of the previous block, if any, and of this one
  BlockIterator index_entries_;   // for keys that share bytes with others
  size_t iterator_at_ = 0;
  absl::flat_hash_set<size_t> index_key_hashes_;  // only if the order is not known
};

// Checks by all available evidence that every block is where it belongs: that the index covers all
// data blocks, and that each data block is the one that the index names. Borrows the reader.
class TableVerifier {
 public:
  TableVerifier(const TableReader* reader, KeyTrust keys);

  // Why the index can't be read, or may not name all data blocks; OK if neither.
  const absl::Status& index_status() const { return index_status_; }

  // Same as BlockIdentityChecker::Check(). The index must be readable.
  absl::Status CheckBlock(size_t i, const Block& block);

 private:
  absl::Status index_status_;
  std::optional<BlockIdentityChecker> block_identity_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_BLOCK_IDENTITY_H_
