// Tables generated from random numbers, so that their contents are known without reading them.
//
// Most have 1 to 200 entries. They are written by this library's TableBuilder or by LevelDB itself.
// In half of them, some values are tables, as in a backup (nested_values.h).
#ifndef SSTABLE_TESTS_MUTANTS_MADE_TABLE_H_
#define SSTABLE_TESTS_MUTANTS_MADE_TABLE_H_

#include <string>

#include "tests/interop/table_spec.h"
#include "tests/mutants/random.h"

namespace sstable::mutants {

struct MadeTable {
  test::TableSpec spec;  // the entries in order, and the writer's options
  bool by_leveldb = false;
  bool is_nested = false;  // a value contains at least part of a table
  std::string values;      // describes the values
  std::string bytes;

  std::string Describe() const;
};

MadeTable MakeTable(Random* random);

// Generates internal or plain keys; the plain ones are never valid internal keys. Values are text,
// random bytes or empty.
test::Entries MakeEntries(KeyKind kind, size_t count, Random* random);

// Returns text, random bytes or an empty string; at most 1000 bytes.
std::string MakeValue(Random* random);

// Returns random options, without entries. Blocks have from one entry up to LevelDB's default size.
test::TableSpec MakeOptions(KeyKind kind, Random* random);

// Returns a table file with these entries, written by this library or by LevelDB.
std::string WriteTable(const test::TableSpec& spec, bool by_leveldb);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_MADE_TABLE_H_
