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
#include "sstable/comparator.h"
#include "sstable/file.h"
#include "sstable/format.h"
#include "sstable/salvage.h"
#include "sstable/table_reader.h"
#include "table/block/compression.h"
#include "table/salvage/scanned_file.h"
#include "util/bytes.h"

namespace sstable {

struct TableScanOptions {
  std::optional<const Comparator*> comparator;          // of plain or user keys, if it is known
  std::optional<uint64_t> max_uncompressed_block_size;  // as TableReaderOptions has it
  uint32_t max_work = kDefaultMaxWork;                  // likewise
};

// Reads all of the file into `*bytes`; what can't be read of it is zeros. Takes the index where it
// can be read and all of its blocks are there. Else carves (table/salvage/carve.h), and looks for
// what explains every byte of the file: the table's own index, if there is one
// (table/salvage/found_tables.h), and which blocks it names (table/salvage/block_places.h); or how
// blocks follow each other (table/salvage/block_chain.h). Blocks that have moved, since bytes
// before them are gone, are known to the index by their keys and size. Errors: ResourceExhausted
// for a file too large; OutOfRange at the limit of work; Unimplemented for one that ends with the
// magic of another format.
absl::StatusOr<TableScan> ScanTable(const RandomAccessFile& file, const TableScanOptions& options,
                                    ByteBuffer* bytes);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_TABLE_SCAN_H_
