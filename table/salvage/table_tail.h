// The end of a possibly damaged table file: footer, metaindex and index.
#ifndef SSTABLE_TABLE_SALVAGE_TABLE_TAIL_H_
#define SSTABLE_TABLE_SALVAGE_TABLE_TAIL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "sstable/format.h"
#include "sstable/table_reader.h"
#include "table/block/index_entries.h"
#include "table/salvage/scanned_file.h"

namespace sstable {

struct TableTail {
  std::optional<Footer> footer;
  // The size of the file minus its size according to the footer. If it is not 0, bytes were
  // inserted or removed, or the footer is damaged, or it belongs to a table that was a value.
  int64_t shift = 0;
  std::optional<Index> index;          // set if it accounts for the whole file
  std::vector<MetaBlock> meta_blocks;  // those in the readable part of the metaindex

  absl::Status footer_status;
  absl::Status index_status;
  absl::Status metaindex_status;
  absl::Status format_status;  // Unimplemented if RocksDB's entries mean something else

  // True if the metaindex block is where the footer says, or would exactly fit before the index.
  bool IsWhole() const {
    return footer.has_value() && shift == 0 &&
           (metaindex_status.ok() || EndOf(footer->metaindex) == footer->index.offset);
  }
};

// Reads the tail. Sets `file->dialect` if the metaindex shows it.
TableTail ReadTail(ScannedFile* file);

std::vector<MetaBlock> MetaBlocksOf(const Index& metaindex);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_TABLE_TAIL_H_
