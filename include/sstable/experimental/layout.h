// Describes what every byte of a table file is. The tools, the checker and the golden texts all use
// it.
#ifndef SSTABLE_EXPERIMENTAL_LAYOUT_H_
#define SSTABLE_EXPERIMENTAL_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "sstable/format.h"
#include "sstable/table_reader.h"
#include "sstable/version.h"

namespace sstable {

// One block of a file.
struct BlockInfo {
  BlockKind kind = BlockKind::kData;
  BlockHandle handle;
  std::string name;  // a data block's index key; a meta or filter block's name in the metaindex

  // OK if the block can be read, its checksum is right, and its entries, if its kind has any, can
  // be decoded. Does not name file and block. The next five are set unless its bytes can't be read
  // from the file.
  absl::Status status;
  uint8_t type = 0;
  Codec codec = Codec::kNone;
  absl::string_view codec_name = "unknown";  // as CodecName() says
  uint32_t stored_crc = 0;
  uint32_t computed_crc = 0;

  // Set if the block could be uncompressed. Filter and other meta blocks have no counts.
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
  std::vector<ByteRange> unreferenced;  // bytes before the footer that are in no block
  std::vector<ByteRange> overlapping;   // bytes that more than one block claims
  absl::Status index_status;            // if not OK, there are no data blocks in `blocks`
  absl::Status metaindex_status;        // if not OK, there are no meta blocks in `blocks`
};

// Reads every block and verifies its checksum, regardless of the reader's options. Damage is
// reported in BlockInfo::status; the description continues after it.
SSTABLE_EXPORT Layout DescribeLayout(const TableReader& reader);

}  // namespace sstable

#endif  // SSTABLE_EXPERIMENTAL_LAYOUT_H_
