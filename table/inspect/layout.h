// Says what every byte of a table file is. The one describer of a file: the tools, the checker and
// the golden texts all use it.
#ifndef SSTABLE_TABLE_INSPECT_LAYOUT_H_
#define SSTABLE_TABLE_INSPECT_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/compression.h"
#include "table/block/format.h"
#include "table/inspect/placement.h"
#include "table/table_reader.h"

namespace sstable {

// One block of a file.
struct BlockInfo {
  BlockKind kind = BlockKind::kData;
  BlockHandle handle;
  std::string name;  // a data block's index key; a meta or filter block's name in the metaindex

  // OK if the block can be read, its checksum is right, and its entries, if it is of a kind that
  // has some, can be decoded. Does not name file and block. The next five are set unless its bytes
  // can't be read from the file at all.
  absl::Status status;
  uint8_t type = 0;
  Codec codec = Codec::kNone;
  absl::string_view codec_name = "unknown";  // as CodecName() says
  uint32_t stored_crc = 0;
  uint32_t computed_crc = 0;

  // Of blocks that could be uncompressed; the counts not of filter and other meta blocks.
  uint64_t raw_size = 0;
  uint32_t entry_count = 0;
  uint32_t restart_count = 0;
};

struct ByteRange {
  uint64_t offset = 0;
  uint64_t size = 0;
};

struct Layout {
  uint64_t file_size = 0;
  std::vector<BlockInfo> blocks;        // in order of offset
  std::vector<ByteRange> unreferenced;  // bytes before the footer that belong to no block
  std::vector<ByteRange> doubly_used;   // bytes that more than one block claims
  absl::Status index_status;            // if not OK, there are no data blocks in `blocks`
  absl::Status metaindex_status;        // if not OK, there are no meta blocks in `blocks`
};

// A block handed to a visitor. `raw` is its uncompressed contents, empty if they can't be had or
// the checksum is wrong; `parsed` is null then, or if it is no block of entries. An entry may be
// malformed: info.status says so. All are good until the visitor returns.
struct VisitedBlock {
  const BlockInfo& info;
  absl::string_view raw;
  const Block* parsed;
};

// Reads every block, checks its checksum whatever the reader's options say, and shows it to
// `visit`: data blocks in the index's order, meta blocks in the metaindex's, metaindex and index.
// Damage is told in BlockInfo::status and does not end the walk.
void VisitBlocks(const TableReader& reader, absl::FunctionRef<void(const VisitedBlock&)> visit);

// The same; what `guard` has against a data block is the status of that block, too.
void VisitBlocks(const TableReader& reader, TableGuard* guard,
                 absl::FunctionRef<void(const VisitedBlock&)> visit);

// The layout without the contents.
Layout DescribeLayout(const TableReader& reader);

// For a layout that has only its file_size and blocks: sorts these by offset and finds the bytes
// before the footer that none or several of them claim.
void ArrangeLayout(Layout* layout);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_LAYOUT_H_
