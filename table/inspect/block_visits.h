// Shows every block of a table with its contents. Layout, check and statistics are made of it.
#ifndef SSTABLE_TABLE_INSPECT_BLOCK_VISITS_H_
#define SSTABLE_TABLE_INSPECT_BLOCK_VISITS_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/layout.h"
#include "sstable/table_reader.h"
#include "table/block/block.h"
#include "table/block/block_iterator.h"
#include "table/block/limits.h"
#include "table/inspect/placement.h"
#include "table/table_index.h"
#include "util/bytes.h"

namespace sstable {

// A block handed to a visitor. `raw` is its uncompressed contents, empty if they can't be had or
// the checksum is wrong; `parsed` is null then, or if it is no block of entries. An entry may be
// malformed: info.status says so. All are valid until the visitor returns.
struct VisitedBlock {
  const BlockInfo& info;
  absl::string_view raw;
  const Block* parsed;
};

// Reads blocks, checks their checksums whatever the reader's options say, and shows them. Damage is
// reported in BlockInfo::status and does not end a walk.
//
// Pattern:   (SkipTo | VisitDataBlocks)*; VisitOtherBlocks at any time.
// Ownership: borrows reader and guard.
// Threads:   one at a time.
class BlockVisitor {
 public:
  using Visit = absl::FunctionRef<void(const VisitedBlock&)>;

  // What `guard` has against a data block is the status of that block, too; it may be null. A block
  // for which `work` does not suffice has that status.
  BlockVisitor(const TableReader& reader, TableGuard* guard, std::shared_ptr<WorkBudget> work);

  // Data blocks are shown in the index's order. The first, or the one after the last that was
  // shown or skipped:
  size_t data_block() const { return data_block_; }
  // Reads none of those before `data_block`. There is an index.
  void SkipTo(size_t data_block);
  // Up to `end`, or all. Without an index there are none.
  void VisitDataBlocks(size_t end, Visit visit);

  // Meta blocks in the metaindex's order, metaindex and index.
  void VisitOtherBlocks(Visit visit);

 private:
  void Show(BlockKind kind, const BlockHandle& handle, absl::string_view name, Visit visit);
  absl::Status Read(BlockInfo* info);

  const TableReader& reader_;
  TableGuard* const guard_;
  const std::shared_ptr<WorkBudget> work_;
  WorkMeter meter_{work_};
  const TableIndex* const index_;  // null: it can't be read
  std::optional<BlockIterator> index_entries_;
  size_t data_block_ = 0;
  ByteBuffer stored_buffer_;
  ByteBuffer raw_buffer_;
  absl::string_view raw_;
  std::optional<Block> parsed_;
};

// Shows all data blocks, then the others.
void VisitBlocks(const TableReader& reader, absl::FunctionRef<void(const VisitedBlock&)> visit);
void VisitBlocks(const TableReader& reader, TableGuard* guard,
                 absl::FunctionRef<void(const VisitedBlock&)> visit);

// For a layout that has only its file_size and blocks: sorts these by offset and finds the bytes
// before the footer that none or several of them claim.
void ArrangeLayout(Layout* layout);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_BLOCK_VISITS_H_
