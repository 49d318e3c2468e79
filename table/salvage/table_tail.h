// What is at the end of a table file that may be damaged: footer, metaindex and index.
#ifndef SSTABLE_TABLE_SALVAGE_TABLE_TAIL_H_
#define SSTABLE_TABLE_SALVAGE_TABLE_TAIL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "sstable/format.h"
#include "sstable/table_reader.h"
#include "table/block/index_entries.h"
#include "table/salvage/carved_file.h"
#include "table/salvage/scanned_file.h"

namespace sstable {

struct TableTail {
  std::optional<Footer> footer;
  // Where the file ends, from where the footer has its end. Not 0: bytes were inserted or are gone,
  // or the footer is damaged, or that of a table that was a value.
  int64_t shift = 0;
  std::optional<Index> index;          // accounts for the file
  std::optional<Index> suspect;        // does not, though the footer names it; sorted by offset
  std::vector<MetaBlock> meta_blocks;  // as far as the metaindex can be read where the footer says

  absl::Status footer_status;
  absl::Status index_status;
  absl::Status metaindex_status;
  absl::Status format_status;  // Unimplemented: a table of RocksDB's that means something else

  // Whether the footer is right about the metaindex block: it is there, or it would fit in exactly.
  bool IsWhole() const {
    return footer.has_value() && shift == 0 &&
           (metaindex_status.ok() || EndOf(footer->metaindex) == footer->index.offset);
  }
};

// Sets `file->dialect`, if the metaindex shows it.
TableTail ReadTail(ScannedFile* file);

std::vector<MetaBlock> MetaBlocksOf(const Index& metaindex);

// A block of entries that the metaindex names is no data block: marks those at their places, if the
// table starts at file offset `base`. But for what is in the place of a filter, which has none: a
// data block was written there by mistake.
void MarkMetaBlocks(const std::vector<MetaBlock>& meta_blocks, int64_t base, CarvedFile* carved);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_TABLE_TAIL_H_
