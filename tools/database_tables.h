// Reads the tables of a database, for reports on it as a whole.
#ifndef SSTABLE_TOOLS_DATABASE_TABLES_H_
#define SSTABLE_TOOLS_DATABASE_TABLES_H_

#include <cstdint>
#include <vector>

#include "sstable/database_view.h"
#include "sstable/table_stats.h"
#include "tools/cli/console.h"
#include "tools/table_input.h"

namespace sstable::tools {

// What the entries of each of view.tables() show, in that order; with the status of opening it if
// that failed, and nothing if its file is missing. Reads up to `jobs` tables at once.
std::vector<TableStats> CountTables(const DatabaseView& view, TableInputOptions input,
                                    uint64_t jobs, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DATABASE_TABLES_H_
