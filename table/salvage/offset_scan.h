// The data blocks of a file without an index that can be believed: in order of offset.
#ifndef SSTABLE_TABLE_SALVAGE_OFFSET_SCAN_H_
#define SSTABLE_TABLE_SALVAGE_OFFSET_SCAN_H_

#include <optional>
#include <vector>

#include "sstable/comparator.h"
#include "table/salvage/block_chain.h"
#include "table/salvage/carved_file.h"
#include "table/salvage/found_tables.h"
#include "table/salvage/scanned_file.h"
#include "table/salvage/table_scan.h"
#include "table/salvage/table_tail.h"

namespace sstable {

// Fills `scan` with the blocks of `carved` that are the table's, the bytes between them, and what
// is not known of either. Blocks that `chain` has within others, and those of `tables` that start
// within the file, are left out where there are others. Takes a metaindex into `tail` if the footer
// gave none, and marks its blocks in `carved`.
void ScanByOffset(const BlockChain& chain, const std::vector<FoundTable>& tables,
                  const std::optional<const Comparator*>& comparator, ScannedFile* file,
                  CarvedFile* carved, TableTail* tail, TableScan* scan);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_OFFSET_SCAN_H_
