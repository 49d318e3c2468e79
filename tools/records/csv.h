// Comma-separated values (RFC 4180).
#ifndef SSTABLE_TOOLS_RECORDS_CSV_H_
#define SSTABLE_TOOLS_RECORDS_CSV_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace sstable::tools {

// Splits a record, without its line end, into its fields. Errors: InvalidArgument.
absl::Status SplitCsv(absl::string_view record, std::vector<std::string>* fields);

// Returns true if the number of quotes in `line` is odd. A record that begins with such a line
// continues up to the next such line.
bool HasOpenQuote(absl::string_view line);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_RECORDS_CSV_H_
