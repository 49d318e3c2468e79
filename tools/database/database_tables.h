// Reads the tables of a database, for reports on the database as a whole.
#ifndef SSTABLE_TOOLS_DATABASE_DATABASE_TABLES_H_
#define SSTABLE_TOOLS_DATABASE_DATABASE_TABLES_H_

#include <cstdint>
#include <vector>

#include "sstable/database_view.h"
#include "sstable/experimental/table_stats.h"
#include "tools/cli/console.h"
#include "tools/files/open_table.h"

namespace sstable::tools {

// Returns the statistics of each of view.ListTables(), in that order. For a table that can't be
// opened, they have only the error; for a missing file, they are empty. Reads up to `jobs` tables
// at once.
std::vector<TableStats> CountTables(const DatabaseView& view, TableInputOptions input,
                                    uint64_t jobs, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DATABASE_DATABASE_TABLES_H_
