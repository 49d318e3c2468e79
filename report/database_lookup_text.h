// Explains lookups in a database.
#ifndef SSTABLE_REPORT_DATABASE_LOOKUP_TEXT_H_
#define SSTABLE_REPORT_DATABASE_LOOKUP_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "report/text/style.h"
#include "sstable/database_view.h"
#include "table/inspect/opened_table.h"

namespace sstable {

using TableOpener = absl::FunctionRef<absl::StatusOr<OpenedTable>(const DatabaseTable& table)>;

// Explains, in lines of text, a lookup of the user key `key` in the logs and then, level by level,
// in each table whose range includes the key, until a version is found. Ignores versions newer than
// the sequence `snapshot`. If a table cannot be read, its line says so. Returns an error if a log
// cannot be read.
absl::StatusOr<std::string> DescribeDatabaseLookup(const DatabaseView& view, const std::string& key,
                                                   uint64_t snapshot, TableOpener open_table,
                                                   const Style& style);

}  // namespace sstable

#endif  // SSTABLE_REPORT_DATABASE_LOOKUP_TEXT_H_
