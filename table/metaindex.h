// The metaindex block: the names and handles of meta blocks.
#ifndef SSTABLE_TABLE_METAINDEX_H_
#define SSTABLE_TABLE_METAINDEX_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/table_reader.h"

namespace sstable {

// Appends the entries of an uncompressed metaindex block to `*meta_blocks`.
// Errors: DataLoss for a malformed block or entry, and for one that names more blocks or has larger
// names than suit a file of `file_size` bytes (table/block/limits.h); then the entries before it
// have been appended. They do not name file and block.
absl::Status ParseMetaindex(absl::string_view contents, uint64_t file_size,
                            std::vector<MetaBlock>* meta_blocks);

}  // namespace sstable

#endif  // SSTABLE_TABLE_METAINDEX_H_
