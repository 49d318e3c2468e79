// Tables made from random numbers, so that their contents are known without reading them.
//
// Most have 1 to 200 entries; the writer is this library's TableBuilder or LevelDB's own. In half
// of them, values are themselves tables (nested_values.h), as in a backup.
#ifndef SSTABLE_TESTS_MUTANTS_MADE_TABLE_H_
#define SSTABLE_TESTS_MUTANTS_MADE_TABLE_H_

#include <string>

#include "tests/interop/table_spec.h"
#include "tests/mutants/random.h"

namespace sstable::mutants {

struct MadeTable {
  test::TableSpec spec;  // the entries, in order, and the options with which they were written
  bool by_leveldb = false;
  bool is_nested = false;  // a value contains at least a part of a table
  std::string values;      // what they are, in words
  std::string bytes;

  std::string Describe() const;
};

MadeTable MakeTable(Random* random);

// Makes keys for a table of internal or of plain keys; the plain ones are never valid internal
// keys. Values are text, random bytes or empty.
test::Entries MakeEntries(KeyKind kind, size_t count, Random* random);

// Text, random bytes or an empty string; at most 1000 bytes.
std::string MakeValue(Random* random);

// Random options, with blocks from one entry up to LevelDB's default size. No entries.
test::TableSpec MakeOptions(KeyKind kind, Random* random);

// Returns the file with these entries, written by the library or by LevelDB.
std::string WriteTable(const test::TableSpec& spec, bool by_leveldb);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_MADE_TABLE_H_
