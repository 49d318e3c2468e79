// How ScanTable() works on a file: by an index, or by offsets.
#ifndef SSTABLE_TABLE_SALVAGE_TABLE_SCANNER_H_
#define SSTABLE_TABLE_SALVAGE_TABLE_SCANNER_H_

#include <cstddef>
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
#include "table/block/index_entries.h"
#include "table/salvage/carved_file.h"
#include "table/salvage/own_blocks.h"
#include "table/salvage/scanned_file.h"
#include "table/salvage/table_scan.h"
#include "table/salvage/table_tail.h"

namespace sstable {

// Scans one file for the blocks of a table, and reports what is lost. See ScanTable().
class TableScanner {
 public:
  TableScanner(const RandomAccessFile& file, const TableScanOptions& options)
      : options_(options), file_(file, options.max_uncompressed_block_size, options.max_work) {}

  absl::StatusOr<ScannedTable> Run();

 private:
  absl::Status CheckFormat();
  // Finds blocks by their checksums.
  void Search();
  // Returns true if a block was read whose type byte has a different meaning in RocksDB.
  bool HasBlocksOfLevelDbsTypes() const;
  // Searches for the table's metaindex if the footer does not lead to one.
  void FindMetaindex();
  // Marks the blocks that the metaindex names: they are not data. A block with entries in the place
  // of a filter is an exception: it is a data block that was written there by mistake.
  void MarkMetaBlocks();
  absl::string_view StoredBytes(const BlockHandle& handle) const {
    return file_.bytes().substr(handle.offset, handle.size + kBlockTrailerSize);
  }
  bool IsCopyOf(const BlockHandle& handle, const BlockHandle& other) const;
  void FillScan();

  // With an index: the one that the footer leads to, or one that a search found (scan_by_index.cc).

  // Reads the blocks at the offsets in the index. A block whose keys do not fit the index was
  // written to the wrong place.
  void ReadByOffset(const Index& index);
  void UseCarvedIndex();
  // Assigns blocks to the entries of the index that fit their keys and sizes, certain blocks first.
  void SelectNamedBlocks();
  void ReportByIndex();
  std::string ReasonAt(BlockHandle handle, int64_t base);
  // Reports bytes that are neither in a data block of the index nor in a block after all of these:
  // they may have been a data block of a newer version of the table.
  void FindUnexplained();

  // Without an index (scan_by_offset.cc).

  // Keeps the data blocks in the order of the file, and reports the bytes between them. Data ends
  // at the metaindex block, if its offset is known.
  void SelectByOffset();
  bool IsBeforeMetaindex(size_t n) const;
  // A block whose values are handles may be the index of a table that has one block, or an index
  // with a damaged entry. If it is the index, neither the metaindex nor data follows it.
  void ReportPossibleIndex(const BlockHandle& handle, bool is_left_out);
  // Returns true if block `n`, which is not data or may not be, is where only data is expected. It
  // may be a copy that was written over a data block.
  bool IsAmongData(size_t n, uint64_t limit) const;
  // Returns true if a block of entries among data blocks looks like an index or metaindex, but
  // leads to no block that was found, so it may be data.
  bool MayBeData(size_t n, uint64_t limit) const;
  void AddGap(uint64_t offset, uint64_t end);

  const TableScanOptions& options_;
  ScannedFile file_;
  TableScan scan_;
  const Comparator* comparator_ = nullptr;  // as in ScannedTable
  TableTail tail_;
  std::optional<OwnIndex> own_;
  std::vector<std::optional<ScannedBlock>> found_;  // for each entry of own_
  std::vector<std::string> reasons_;                // for entries of own_ without a block

  // Only after a search:
  CarvedFile carved_;
  std::vector<bool> is_certain_;            // for each carved block: certainly of this table
  std::vector<bool> is_named_meta_;         // for each carved block: named by the metaindex
  const CarvedBlock* metaindex_ = nullptr;  // only if the footer does not lead to one
  int64_t meta_base_ = 0;                   // file offset to which its handles are relative
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_TABLE_SCANNER_H_
