// The tables of this folder, and a page of text about each that stands beside it.
#ifndef SSTABLE_TESTS_TESTDATA_TABLE_SUMMARY_H_
#define SSTABLE_TESTS_TESTDATA_TABLE_SUMMARY_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sstable/options.h"

namespace sstable::test {

struct TestdataTable {
  const char* name;  // with ".ldb" behind it the table, with ".txt" its summary
  KeyKind key_kind = KeyKind::kPlain;
  bool reverse = false;
};

const std::vector<TestdataTable>& TestdataTables();
TableReaderOptions OptionsFor(const TestdataTable& table);

// What a reader, a check and a lookup of every key say of these bytes. Of errors it has the code
// alone, so that a better message changes no summary.
std::string Summarize(const TestdataTable& table, absl::string_view bytes);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_TESTDATA_TABLE_SUMMARY_H_
