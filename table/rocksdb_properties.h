// What RocksDB's properties block says of a table with LevelDB's magic number (format version 0).
#ifndef SSTABLE_TABLE_ROCKSDB_PROPERTIES_H_
#define SSTABLE_TABLE_ROCKSDB_PROPERTIES_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sstable/format.h"
#include "sstable/table_reader.h"
#include "table/block/block_io.h"

namespace sstable {

// Unimplemented if, by its meta blocks, index or keys of a table do not mean what they mean in
// LevelDB's. Properties that can't be read or parsed say nothing; but an error of `read`, which
// reads a meta block, is returned if it IsTransient(). Does not name the file.
absl::Status CheckRocksDbTable(
    const std::vector<MetaBlock>& meta_blocks,
    absl::FunctionRef<absl::StatusOr<BlockContents>(const BlockHandle&)> read);

}  // namespace sstable

#endif  // SSTABLE_TABLE_ROCKSDB_PROPERTIES_H_
