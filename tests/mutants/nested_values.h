// Values that are tables: backups, nested stores, logs of tables.
#ifndef SSTABLE_TESTS_MUTANTS_NESTED_VALUES_H_
#define SSTABLE_TESTS_MUTANTS_NESTED_VALUES_H_

#include <string>

#include "tests/interop/table_spec.h"
#include "tests/mutants/random.h"

namespace sstable::mutants {

// Gives one, some or all entries a value with tables in it, and describes which. Those tables have
// an older state of `outer` (the same keys, other values) or something else, with random options. A
// value has one table, several in a row, one among other bytes, an incomplete one, or a log with
// one in its records. Nested values take at most about 100 KB in all.
std::string NestTables(test::TableSpec* outer, Random* random);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_NESTED_VALUES_H_
