// Describes a lookup in a database in words.
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

// Describes in lines the logs, then level by level the tables whose range has the user key `key`,
// and the lookup in each, until one has a version of it; without versions after `snapshot`, a
// sequence. What fails in a table becomes a line. Errors: those of reading logs.
absl::StatusOr<std::string> DescribeDatabaseLookup(const DatabaseView& view, const std::string& key,
                                                   uint64_t snapshot, TableOpener open_table,
                                                   const Style& style);

}  // namespace sstable

#endif  // SSTABLE_REPORT_DATABASE_LOOKUP_TEXT_H_
