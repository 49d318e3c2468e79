// Shows the steps of a lookup, for `sst get --explain`.
#ifndef SSTABLE_TOOLS_FILES_EXPLAIN_LOOKUP_H_
#define SSTABLE_TOOLS_FILES_EXPLAIN_LOOKUP_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "sstable/database_view.h"
#include "sstable/table_reader.h"
#include "tools/cli/console.h"
#include "tools/files/exhaustive_lookup.h"
#include "tools/files/open_table.h"

namespace sstable::tools {

// Explains a lookup in a table: index, filter, block and the bytes read. `target` is an internal
// key if the table has internal keys. `data_bytes_read` is the size of the data blocks that the
// lookup read.
void ExplainLookup(const TableReader& reader, const std::string& target, uint64_t data_bytes_read,
                   Console* console);

// Explains a lookup in a database: the logs, then level by level the tables whose range has the
// key, until one has a version of it. Errors: from reading logs. A table that can't be read
// is reported.
absl::Status ExplainLookup(const DatabaseView& view, const LookupTarget& wanted,
                           TableInputOptions input, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_FILES_EXPLAIN_LOOKUP_H_
