// Why a file may not be, or not be all of, the table that the MANIFEST has.
#ifndef SSTABLE_DB_SALVAGE_TABLE_DOUBTS_H_
#define SSTABLE_DB_SALVAGE_TABLE_DOUBTS_H_

#include <string>

#include "db/salvage/new_table.h"
#include "sstable/salvage.h"
#include "sstable/version_edit.h"

namespace sstable {

// What `table` has instead of what the MANIFEST says of `named`: size, first and last key.
std::string DescribeDifferences(const NewTable& table, const TableFile& named);

// What a Salvager has doubts about, as one reason. `claimed`: the table that it seems to be, by the
// MANIFEST; or null.
std::string DescribeDoubts(const Salvager& salvager, const TableFile* claimed);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_TABLE_DOUBTS_H_
