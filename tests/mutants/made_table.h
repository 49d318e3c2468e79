// Tables made from random numbers, so that what they hold is known without reading them.
//
// Most have 1 to 200 entries; the writer is this library's TableBuilder or LevelDB's own. In half
// of them values are tables themselves (nested_values.h), as in a backup.
#ifndef SSTABLE_TESTS_MUTANTS_MADE_TABLE_H_
#define SSTABLE_TESTS_MUTANTS_MADE_TABLE_H_

#include <string>

#include "tests/interop/table_spec.h"
#include "tests/mutants/random.h"

namespace sstable::mutants {

struct MadeTable {
  test::TableSpec spec;  // the entries, in order, and the options they were written with
  bool by_leveldb = false;
  bool is_nested = false;  // a value has at least a part of a table in it
  std::string values;      // what they are, in words
  std::string bytes;

  std::string Describe() const;
};

MadeTable MakeTable(Random* random);

// The keys are those of a table with internal keys or of one with plain ones; the plain ones are
// never internal keys as well. Values are text, random bytes or nothing.
test::Entries MakeEntries(KeyKind kind, size_t count, Random* random);

// Text, random bytes or nothing; at most 1000 bytes.
std::string MakeValue(Random* random);

// Any options; from blocks of an entry each to LevelDB's default. No entries.
test::TableSpec MakeOptions(KeyKind kind, Random* random);

// The file with these entries, by the library or by LevelDB.
std::string WriteTable(const test::TableSpec& spec, bool by_leveldb);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_MADE_TABLE_H_
