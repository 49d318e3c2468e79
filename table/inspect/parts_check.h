// Checks a sound table with several threads.
#ifndef SSTABLE_TABLE_INSPECT_PARTS_CHECK_H_
#define SSTABLE_TABLE_INSPECT_PARTS_CHECK_H_

#include <optional>

#include "sstable/check.h"
#include "sstable/table_reader.h"
#include "table/inspect/check_findings.h"
#include "table/table_internals.h"

namespace sstable {

// Returns the findings of all blocks, as if they had been checked in order. Returns nullopt if
// there are any problems, if the table is not simple enough for this, or if there is not enough
// memory: the blocks must then be checked in order. `options.threads` is at least 1, and the index
// can be read.
//
// Each thread checks a part of the data blocks. Which findings are problems depends on the keys of
// the whole table. If the order is not known, the first blocks must show that it can only be
// bytewise: they have several keys, which ascend and are not IndexedDB's. If all later keys ascend,
// too, they show nothing else.
std::optional<Findings> CheckInParts(const TableReader& reader, const LoadedTable& loaded,
                                     const CheckOptions& options);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_PARTS_CHECK_H_
