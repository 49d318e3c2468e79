// Describes a lookup in a database in words.
#ifndef SSTABLE_REPORT_DATABASE_LOOKUP_TEXT_H_
#define SSTABLE_REPORT_DATABASE_LOOKUP_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "sstable/database_view.h"

namespace sstable {

struct DatabaseLookup {
  std::string key;                   // a user key
  std::optional<uint64_t> snapshot;  // the highest sequence that is seen
};

// Describes in lines the logs, then level by level the tables whose range has the key, until one
// has a version of it. `explain_table` returns the lines of the lookup in a table; its errors
// become lines. Errors: those of reading logs.
absl::StatusOr<std::string> DescribeDatabaseLookup(
    const DatabaseView& view, const DatabaseLookup& wanted,
    absl::FunctionRef<absl::StatusOr<std::string>(const DatabaseTable& table)> explain_table);

}  // namespace sstable

#endif  // SSTABLE_REPORT_DATABASE_LOOKUP_TEXT_H_
