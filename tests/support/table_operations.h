// Every operation on an open table, for tests that check only that each of them ends well.
#ifndef SSTABLE_TESTS_SUPPORT_TABLE_OPERATIONS_H_
#define SSTABLE_TESTS_SUPPORT_TABLE_OPERATIONS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "sstable/table_reader.h"

namespace sstable::test {

struct TableOperation {
  const char* name;
  // Returns the number of entries visited or reported.
  uint64_t (*run)(const TableReader& reader);
};

// Check, scans, dump, lookups, layout and the reports.
absl::Span<const TableOperation> TableOperations();

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_TABLE_OPERATIONS_H_
