// Values that are tables: backups, nested stores, logs of tables.
#ifndef SSTABLE_TESTS_MUTANTS_NESTED_VALUES_H_
#define SSTABLE_TESTS_MUTANTS_NESTED_VALUES_H_

#include <string>

#include "tests/interop/table_spec.h"
#include "tests/mutants/random.h"

namespace sstable::mutants {

// Replaces the values of one, some or all entries with values that contain tables, and describes
// which. These tables have an older state of `outer` (the same keys, other values) or unrelated
// entries, and random options. A value is one table, several in a row, one among other bytes, a
// truncated one, or a log with one in its records. Nested values take at most about 100 KB in all.
std::string NestTables(test::TableSpec* outer, Random* random);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_NESTED_VALUES_H_
