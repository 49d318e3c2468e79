// The tables of this folder, and the page of text beside each.
#ifndef SSTABLE_TESTS_TESTDATA_TABLE_SUMMARY_H_
#define SSTABLE_TESTS_TESTDATA_TABLE_SUMMARY_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sstable/options.h"

namespace sstable::test {

struct TestdataTable {
  const char* name;  // without ".ldb" for the table, ".txt" for its summary
  KeyKind key_kind = KeyKind::kPlain;
  bool reverse = false;
};

const std::vector<TestdataTable>& TestdataTables();
TableReaderOptions OptionsFor(const TestdataTable& table);

// The results of a reader, a check and a lookup of every key for these bytes. Of errors it has only
// the code, so that a better message does not change the summary.
std::string Summarize(const TestdataTable& table, absl::string_view bytes);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_TESTDATA_TABLE_SUMMARY_H_
