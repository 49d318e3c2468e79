// All that can be done with a table that is open, for tests that only ask whether it ends well.
#ifndef SSTABLE_TESTS_SUPPORT_TABLE_OPERATIONS_H_
#define SSTABLE_TESTS_SUPPORT_TABLE_OPERATIONS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "sstable/table_reader.h"

namespace sstable::test {

struct TableOperation {
  const char* name;
  // Returns how many entries it has visited, or counted in a report.
  uint64_t (*run)(const TableReader& reader);
};

// Check, scans, dump, lookups, layout and the reports.
absl::Span<const TableOperation> TableOperations();

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_TABLE_OPERATIONS_H_
