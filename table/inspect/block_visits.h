// Visits every block of a table with its contents; the basis of layout, check and statistics.
#ifndef SSTABLE_TABLE_INSPECT_BLOCK_VISITS_H_
#define SSTABLE_TABLE_INSPECT_BLOCK_VISITS_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/experimental/layout.h"
#include "sstable/table_reader.h"
#include "table/block/block.h"
#include "table/block/block_iterator.h"
#include "table/block/limits.h"
#include "table/index/table_index.h"
#include "table/inspect/block_identity.h"
#include "util/bytes.h"

namespace sstable {

// A block as passed to a visitor. `raw` is its uncompressed contents, empty if they can't be read
// or the checksum is wrong; `parsed` is null then, or if it is not a block of entries. An entry may
// be malformed; info.status then says so. All are valid until the visitor returns.
struct VisitedBlock {
  const BlockInfo& info;
  absl::string_view raw;
  const Block* parsed;
};

// Reads blocks, verifies their checksums whatever the reader's options, and visits them. Damage is
// reported in BlockInfo::status and does not end the walk.
class BlockVisitor {
 public:
  using Visit = absl::FunctionRef<void(const VisitedBlock&)>;

  // An error that `verifier`, which may be null, finds in a data block becomes the status of that
  // block. A block that exceeds the limit `work` gets that error.
  BlockVisitor(const TableReader& reader, TableVerifier* verifier,
               std::shared_ptr<WorkBudget> work);

  // Data blocks are visited in the index's order. This is the next one to visit: the first, or the
  // one after the last that was visited or skipped.
  size_t data_block() const { return data_block_; }
  // Skips the blocks before `data_block` without reading them. There must be an index.
  void SkipTo(size_t data_block);
  // Visits blocks up to `end`, or all. Without an index there are none.
  void VisitDataBlocks(size_t end, Visit visit);

  // Visits meta blocks in the metaindex's order, then metaindex and index.
  void VisitOtherBlocks(Visit visit);

 private:
  void Show(BlockKind kind, const BlockHandle& handle, absl::string_view name, Visit visit);
  absl::Status Read(BlockInfo* info);

  const TableReader& reader_;
  TableVerifier* const verifier_;
  const std::shared_ptr<WorkBudget> work_;
  WorkMeter meter_{work_};
  const TableIndex* const index_;  // null if it can't be read
  std::optional<BlockIterator> index_entries_;
  size_t data_block_ = 0;
  ByteBuffer stored_buffer_;
  ByteBuffer raw_buffer_;
  absl::string_view raw_;
  std::optional<Block> parsed_;
};

// Visits all data blocks, then the others.
void VisitBlocks(const TableReader& reader, absl::FunctionRef<void(const VisitedBlock&)> visit);
void VisitBlocks(const TableReader& reader, TableVerifier* verifier,
                 absl::FunctionRef<void(const VisitedBlock&)> visit);

// Completes a layout that has only its file_size and blocks: sorts the blocks by offset, and finds
// the bytes before the footer that no block or several blocks claim.
void ArrangeLayout(Layout* layout);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_BLOCK_VISITS_H_
