// Collects the data blocks of a file without a credible index, in order of offset.
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

// Fills `scan` with the table's own blocks from `carved`, the bytes between them, and the doubts
// about both. If there are other blocks, leaves out those that `chain` has inside others, and those
// of `tables` that start within the file. Sets the metaindex in `tail` if the footer named none,
// and marks its blocks in `carved`.
void ScanByOffset(const BlockChain& chain, const std::vector<FoundTable>& tables,
                  const Comparator* comparator, ScannedFile* file, CarvedFile* carved,
                  TableTail* tail, TableScan* scan);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_OFFSET_SCAN_H_
