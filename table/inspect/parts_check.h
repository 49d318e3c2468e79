// Checks a sound table by several threads.
#ifndef SSTABLE_TABLE_INSPECT_PARTS_CHECK_H_
#define SSTABLE_TABLE_INSPECT_PARTS_CHECK_H_

#include <optional>

#include "sstable/check.h"
#include "sstable/table_reader.h"
#include "table/inspect/check_findings.h"
#include "table/table_internals.h"

namespace sstable {

// What is found in all blocks, as if they had been checked in order; but nullopt if anything is
// wrong with them, or not as simple as it must be for this, or there is not enough memory: then
// they have to be checked in order. `options.threads` is at least 1. The index can be read.
//
// Each thread has a part of the data blocks. Which of what is wrong is a problem depends on the
// keys of the whole table. If the order is not known, the first blocks must show that it can only
// be bytewise: they have several keys, which ascend and are not IndexedDB's. If all after them
// ascend, too, they show nothing else.
std::optional<Findings> CheckInParts(const TableReader& reader, const LoadedTable& loaded,
                                     const CheckOptions& options);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_PARTS_CHECK_H_
