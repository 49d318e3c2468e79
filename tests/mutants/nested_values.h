// Values that are tables: backups, nested stores, logs of what was written.
#ifndef SSTABLE_TESTS_MUTANTS_NESTED_VALUES_H_
#define SSTABLE_TESTS_MUTANTS_NESTED_VALUES_H_

#include <string>

#include "tests/interop/table_spec.h"
#include "tests/mutants/random.h"

namespace sstable::mutants {

// Gives one, some or all of the entries a value with tables in it, and says which. Those tables
// hold an older state of `outer` (the same keys, other values) or something else, in any options.
// A value has one, several in a row, one among other bytes, one that is cut short, or a log of
// records with one. Nested values stay below about 100 KB in all.
std::string NestTables(test::TableSpec* outer, Random* random);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_NESTED_VALUES_H_
