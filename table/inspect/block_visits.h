// Visits every block of a table with its contents; the basis of layout, check and statistics.
#ifndef SSTABLE_TABLE_INSPECT_BLOCK_VISITS_H_
#define SSTABLE_TABLE_INSPECT_BLOCK_VISITS_H_

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "sstable/experimental/layout.h"
#include "sstable/table_reader.h"
#include "table/block/block.h"
#include "table/inspect/block_identity.h"

namespace sstable {

// A block as passed to a visitor. `raw` is its uncompressed contents, empty if they can't be read
// or the checksum is wrong; `parsed` is null then, or if it is not a block of entries. An entry may
// be malformed; info.status then says so. All are valid until the visitor returns.
struct VisitedBlock {
  const BlockInfo& info;
  absl::string_view raw;
  const Block* parsed;
};

// Reads all blocks, verifies their checksums regardless of the reader's options, and visits them:
// the data blocks in the index's order (none if there is no index), the meta blocks in the
// metaindex's order, then the metaindex and the index. Damage is reported in BlockInfo::status and
// does not end the walk. An error that `verifier`, which may be null, finds in a data block becomes
// the status of that block. A block that exceeds the reader's limit of work gets that error.
void VisitBlocks(const TableReader& reader, absl::FunctionRef<void(const VisitedBlock&)> visit);
void VisitBlocks(const TableReader& reader, TableVerifier* verifier,
                 absl::FunctionRef<void(const VisitedBlock&)> visit);

// Completes a layout that has only its file_size and blocks: sorts the blocks by offset, and finds
// the bytes before the footer that no block or several blocks claim.
void ArrangeLayout(Layout* layout);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_BLOCK_VISITS_H_
