// Shows every block of a table with its contents. Layout, check and statistics are made of it.
#ifndef SSTABLE_TABLE_INSPECT_BLOCK_VISITS_H_
#define SSTABLE_TABLE_INSPECT_BLOCK_VISITS_H_

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "sstable/layout.h"
#include "sstable/table_reader.h"
#include "table/block/block.h"
#include "table/inspect/placement.h"

namespace sstable {

// A block handed to a visitor. `raw` is its uncompressed contents, empty if they can't be had or
// the checksum is wrong; `parsed` is null then, or if it is no block of entries. An entry may be
// malformed: info.status says so. All are valid until the visitor returns.
struct VisitedBlock {
  const BlockInfo& info;
  absl::string_view raw;
  const Block* parsed;
};

// Reads every block, checks its checksum whatever the reader's options say, and shows it to
// `visit`: data blocks in the index's order, meta blocks in the metaindex's, metaindex and index.
// Damage is reported in BlockInfo::status and does not end the walk.
void VisitBlocks(const TableReader& reader, absl::FunctionRef<void(const VisitedBlock&)> visit);

// The same; what `guard` has against a data block or the index is the status of that block, too.
void VisitBlocks(const TableReader& reader, TableGuard* guard,
                 absl::FunctionRef<void(const VisitedBlock&)> visit);

// For a layout that has only its file_size and blocks: sorts these by offset and finds the bytes
// before the footer that none or several of them claim.
void ArrangeLayout(Layout* layout);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_BLOCK_VISITS_H_
