// Which blocks of a damaged file are certainly its own table's, not those of a table in a value.
//
// Blocks within the values of an intact block are not found (carve.h). Those in a damaged block
// are. They never touch a block outside of it, and the table in a value starts after the file does.
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

// The file offset from which the handles of the table count that ends with an index or metaindex
// block, the `n`th: negative if bytes before it are missing. Nullopt if nothing shows it.
std::optional<int64_t> BaseOf(const CarvedFile& carved, size_t n);

// The index that is taken to be the table's own.
struct OwnIndex {
  Index entries;                // sorted by offset
  uint64_t offset = 0;          // file offset of its block
  int64_t base = 0;             // file offset from which its handles count
  bool certain = false;         // false: it may also be the index of a table in a value
  std::optional<size_t> block;  // in CarvedFile::blocks; nullopt for the index in the footer
};

// Chooses from the index blocks that were found: the last one whose table starts where the file
// does or before, unless a table that has lost its start ends after it; else the last one that has
// the place that its blocks show most often, or the keys and sizes of at least half of the blocks
// that are certain without an index, or if there are none, of all blocks. Nullopt if there is none.
std::optional<OwnIndex> ChooseIndex(const CarvedFile& carved, uint64_t file_size,
                                    const TableTail& tail, const Comparator* comparator);

struct OwnBlocks {
  // By carved block, whether it is certainly the table's own: it starts the file, is at the place
  // that the index or the footer gives it, ends a table that starts where the file does or before,
  // or touches the footer, or a block that is certain or has its place in the footer or metaindex.
  std::vector<bool> is_own;
  // The file may have lost its start up to a value: nothing but the first block itself shows that
  // it is the table's, and not all blocks touch it; or a table at the start has data or another
  // footer after it.
  bool start_in_doubt = false;
};

// `own` may be null.
OwnBlocks FindOwnBlocks(const CarvedFile& carved, const TableTail& tail, const OwnIndex* own,
                        const Comparator* comparator);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_OWN_BLOCKS_H_
