// Reads RocksDB's properties block in a table with LevelDB's magic number (format version 0).
#ifndef SSTABLE_TABLE_BLOCK_ROCKSDB_PROPERTIES_H_
#define SSTABLE_TABLE_BLOCK_ROCKSDB_PROPERTIES_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sstable/format.h"
#include "table/block/block_io.h"

namespace sstable {

// Returns Unimplemented if the meta blocks show that the index or the keys have another meaning
// than in LevelDB's tables. Properties that can't be read or parsed are ignored; but if `read`,
// which reads a meta block, fails with an error that IsTransient(), returns that. Does not name the
// file.
absl::Status CheckRocksDbTable(
    const std::vector<MetaBlock>& meta_blocks,
    absl::FunctionRef<absl::StatusOr<BlockContents>(const BlockHandle&)> read);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_ROCKSDB_PROPERTIES_H_
