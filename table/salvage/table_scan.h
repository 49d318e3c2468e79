// Finds what can be read of a damaged table file: its data blocks, and which are lost.
#ifndef SSTABLE_TABLE_SALVAGE_TABLE_SCAN_H_
#define SSTABLE_TABLE_SALVAGE_TABLE_SCAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "table/block/compression.h"
#include "table/block/format.h"
#include "table/salvage/scanned_file.h"
#include "table/table_reader.h"
#include "util/bytes.h"
#include "util/comparator.h"
#include "util/file.h"

namespace sstable {

// Part of a table that can't be read.
struct LostRange {
  // A block as the index names it, at its place when the table was written, the trailer not
  // counted; or, without an index, bytes between readable blocks.
  bool is_block = false;
  uint64_t offset = 0;
  uint64_t size = 0;
  std::string reason;

  // What is known of the keys that it had: they are above `after`, and not above `until` if the
  // index says so (is_block), else below it. nullopt: not known.
  std::optional<std::string> after;
  std::optional<std::string> until;
};

enum class IndexSource { kFooter, kCarved, kNone };

struct TableScan {
  ByteBuffer bytes;  // the file; what can't be read of it is zeros
  uint64_t file_size = 0;

  std::vector<ScannedBlock> blocks;  // in the index's order; else in order of offset
  std::vector<LostRange> lost;
  IndexSource index_source = IndexSource::kNone;

  // Whether nothing but `lost` can be missing: every byte of the file is in a block of the table,
  // each at its place, or in `lost`. Else `doubts` says what is not explained, for people; it may
  // have nothing to say but that the file has no end.
  bool extent_known = false;
  std::vector<std::string> doubts;

  // Whether `blocks` are surely the table's own. Else some may be those of a table that was a
  // value, as found between damaged bytes.
  bool belonging_known = true;

  std::optional<uint64_t> carving_stopped_at;  // too much work: nothing from there on was searched

  // Readable blocks that are not in `blocks`: those within a value, as far as is known; and those
  // that the table's own index or metaindex does not name.
  uint64_t inner_blocks = 0;
  uint64_t unnamed_blocks = 0;

  // Whether the file has LevelDB's magic. Else nothing says whose format it is.
  bool has_magic = false;

  absl::Status read_status;  // the first error of reading the file
  absl::Status footer_status;
  absl::Status index_status;
  absl::Status metaindex_status;
  std::vector<MetaBlock> meta_blocks;  // as far as the metaindex can be read
  TypeByteDialect dialect = TypeByteDialect::kLevelDb;
};

struct TableScanOptions {
  std::optional<const Comparator*> comparator;          // of plain or user keys, if it is known
  std::optional<uint64_t> max_uncompressed_block_size;  // as TableReaderOptions has it
};

// Reads the file into memory as a whole. Takes the index where it can be read and all of its
// blocks are there. Else carves (table/salvage/carve.h), and looks for what explains every byte of
// the file: the table's own index, if there is one (table/salvage/found_tables.h), and which blocks
// it names (table/salvage/block_places.h); or how blocks follow each other
// (table/salvage/block_chain.h). Blocks that have moved, since bytes before them are gone, are
// known to the index by their keys and size. Errors: ResourceExhausted for a file too large;
// Unimplemented for one that ends with the magic of another format.
absl::StatusOr<TableScan> ScanTable(const RandomAccessFile& file, const TableScanOptions& options);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_TABLE_SCAN_H_
