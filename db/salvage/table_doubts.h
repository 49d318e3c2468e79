// Reasons why a file may not be the table of the MANIFEST, or not all of it.
#ifndef SSTABLE_DB_SALVAGE_TABLE_DOUBTS_H_
#define SSTABLE_DB_SALVAGE_TABLE_DOUBTS_H_

#include <string>

#include "db/salvage/new_table.h"
#include "sstable/database_files.h"
#include "sstable/experimental/table_salvage.h"

namespace sstable {

// Describes how `table` differs from `named` in the MANIFEST: size, first and last key.
std::string DescribeDifferences(const NewTable& table, const TableFile& named);

// Describes the doubts of a Salvager as one reason. `claimed` is the MANIFEST's table that the file
// seems to be, or null.
std::string DescribeDoubts(const Salvager& salvager, const TableFile* claimed);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_TABLE_DOUBTS_H_
