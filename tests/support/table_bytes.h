// Tables in memory, for tests of all code that reads tables.
#ifndef SSTABLE_TESTS_SUPPORT_TABLE_BYTES_H_
#define SSTABLE_TESTS_SUPPORT_TABLE_BYTES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "sstable/options.h"

namespace sstable::test {

using Entries = std::vector<std::pair<std::string, std::string>>;

// Returns the bytes of a table with these entries.
absl::StatusOr<std::string> BuildTable(const TableBuilderOptions& options, const Entries& entries);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_TABLE_BYTES_H_
