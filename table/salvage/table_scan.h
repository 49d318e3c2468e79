// Finds the readable data blocks of a damaged table file, and determines what is lost.
#ifndef SSTABLE_TABLE_SALVAGE_TABLE_SCAN_H_
#define SSTABLE_TABLE_SALVAGE_TABLE_SCAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/file.h"
#include "sstable/format.h"
#include "sstable/table_reader.h"
#include "table/block/compression.h"
#include "table/salvage/scanned_file.h"
#include "util/bytes.h"

namespace sstable {

struct TableScanOptions {
  std::optional<KeyKind> key_kind;                      // if known
  const Comparator* comparator = nullptr;               // order of plain or user keys, if known
  std::optional<uint64_t> max_uncompressed_block_size;  // as in TableReaderOptions
  uint32_t max_work = kDefaultMaxWork;                  // as in TableReaderOptions
};

struct ScannedTable {
  TableScan scan;
  ByteBuffer bytes;  // the file; what can't be read is zeros
  // The order of plain or user keys by which blocks were chosen, if there is no index; null if the
  // keys are in no known order, or if all blocks are certain.
  const Comparator* comparator = nullptr;
};

// Uses the index if it can be read and all of its blocks are there. Otherwise carves
// (table/salvage/carve.h), and decides which blocks are the table's (table/salvage/own_blocks.h),
// and which fit them (table/salvage/key_runs.h). Errors: ResourceExhausted for a file that is too
// large; OutOfRange at the limit of work; Unimplemented for a file that ends with the magic of
// another format.
absl::StatusOr<ScannedTable> ScanTable(const RandomAccessFile& file,
                                       const TableScanOptions& options);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_TABLE_SCAN_H_
