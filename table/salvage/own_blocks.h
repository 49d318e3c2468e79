// Decides which blocks of a damaged file certainly belong to its table, and not to another table
// that is stored in a value.
//
// Blocks within the values of an intact block are not found (carve.h). Blocks within the values of
// a damaged block are found. They are never adjacent to a block outside of it, and the table in the
// value starts after the start of the file.
#ifndef SSTABLE_TABLE_SALVAGE_OWN_BLOCKS_H_
#define SSTABLE_TABLE_SALVAGE_OWN_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sstable/comparator.h"
#include "table/block/index_entries.h"
#include "table/salvage/carved_file.h"
#include "table/salvage/table_tail.h"

namespace sstable {

// Returns the file offset at which the table starts that ends with block `n`, an index or metaindex
// block. Its handles are relative to that offset. Negative if bytes before the block are missing;
// nullopt if the blocks do not show it.
std::optional<int64_t> BaseOf(const CarvedFile& carved, size_t n);

// The index block that most probably is the table's.
struct OwnIndex {
  Index entries;                // sorted by offset
  uint64_t offset = 0;          // file offset of its block
  int64_t base = 0;             // file offset to which its handles are relative
  bool certain = false;         // false: it may also be the index of a table in a value
  std::optional<size_t> block;  // in CarvedFile::blocks; nullopt for the index in the footer
};

// Chooses one of the index blocks that were found. That is the last one whose table starts at the
// start of the file or before, unless a table with a missing start ends after it. Otherwise it is
// the last one for which most blocks are at the offsets that it gives, or whose entries match the
// keys and sizes of at least half of the data blocks (of those that are certain, if there are any).
// Nullopt if none qualifies.
std::optional<OwnIndex> ChooseIndex(const CarvedFile& carved, uint64_t file_size,
                                    const TableTail& tail, const Comparator* comparator);

struct OwnBlocks {
  // For each carved block, whether it certainly belongs to the table. It does if it is at the start
  // of the file, is where the index or the footer says, or ends a table that starts at the start of
  // the file or before. It also does if it is adjacent to such a block, to the footer, or to the
  // place of a block that the footer or metaindex names.
  std::vector<bool> is_certain;
  // True if the file may start with a table that was a value, since everything before it is
  // missing. Either the position of the first block is the only evidence that it is the table's,
  // and not all blocks are adjacent to it; or data or another footer follows the table at the
  // start.
  bool start_in_doubt = false;
};

// `own` may be null.
OwnBlocks FindOwnBlocks(const CarvedFile& carved, const TableTail& tail, const OwnIndex* own,
                        const Comparator* comparator);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_OWN_BLOCKS_H_
