// Salvage of a folder says what is wrong with a file where that is known, and no more.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/database_salvage.h"
#include "sstable/file_name.h"
#include "sstable/version_edit.h"
#include "tests/db/salvage/salvage_database_test.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

// A log that no later edit can name any more is not missed.
TEST_F(SalvageDatabaseTest, SaysWhatIsWrongWithAManifest) {
  const TableFile table = WriteTable(5, 0, {{Key("a", 5), "a"}});
  VersionEdit first, second;
  first.comparator = "leveldb.BytewiseComparator";
  first.log_number = 3;
  first.next_file_number = 9;
  first.last_sequence = 5;
  first.new_files = {table};
  second.log_number = 6;
  second.new_files = {{1 << 30, 7, 100, Key("b", 6), Key("c", 7)}};
  WriteLog("MANIFEST-000002", {first.Encode(), second.Encode()});
  old_.Write("CURRENT", "MANIFEST-000002\n");
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.problems[0].message, HasSubstr("level is 1073741824, expected at most 63"));
}

TEST_F(SalvageDatabaseTest, SaysHowATableDiffersFromThatOfTheManifest) {
  TableFile table = WriteTable(5, 1, {{Key("a", 5), "a"}, {Key("b", 6), "b"}});
  WriteTable(5, 1, {{Key("a", 5), "a"}, {Key("c", 9), "another"}});
  WriteManifest({table}, {});
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  EXPECT_FALSE(report.complete());
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].file, "000005.ldb");
  EXPECT_THAT(report.problems[0].message,
              AllOf(HasSubstr("is not the table that MANIFEST-000002 names: has "),
                    HasSubstr("; last key is \"c\" @9, expected \"b\" @6; its entries are taken, "
                              "though they may be of another database")));
  ASSERT_THAT(report.tables, SizeIs(1));
}

TEST_F(SalvageDatabaseTest, ReportsATableInTheOrderOfAnotherComparator) {
  Entries reversed, large;
  for (char c = 'z'; c >= 'a'; --c) reversed.push_back({Key(std::string(1, c), 7), "reversed"});
  for (char c = 'a'; c <= 'z'; ++c) large.push_back({Key(std::string(2, c), 9), "a larger value"});
  WriteTable(5, 0, large);
  TableBuilderOptions options = InternalKeys();
  options.comparator = ComparatorByName("rocksdb.ReverseBytewiseComparator");
  ASSERT_NE(options.comparator, nullptr);
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, reversed));
  old_.Write("000007.ldb", bytes);
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  EXPECT_THAT(
      report.problems,
      testing::Contains(testing::Field(
          &DatabaseProblem::message,
          AllOf(HasSubstr("000007.ldb: 25 keys are not in the order of "
                          "leveldb.BytewiseComparator; entries are sorted; they are in that "
                          "of rocksdb.ReverseBytewiseComparator"),
                HasSubstr("may be of another database")))));
}

TEST_F(SalvageDatabaseTest, ReportsATableOfPlainKeys) {
  WriteTable(5, 0, {{Key("a", 5), "a larger value, so that this one decides"}});
  TableBuilderOptions options = InternalKeys();
  options.key_kind = KeyKind::kPlain;
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, {{"plain", ""}, {"q", ""}}));
  old_.Write("000007.ldb", bytes);
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  ASSERT_THAT(report.lost, SizeIs(1));
  EXPECT_EQ(report.lost[0].file, "000007.ldb");
  EXPECT_EQ(report.lost[0].reason,
            "2 entries were left out, since their keys are no internal keys, as a database has");
}

TEST_F(SalvageDatabaseTest, SaysThatATableIsCutShort) {
  const TableFile table = WriteTable(5, 1, {{Key("a", 5), "first"}, {Key("b", 6), "second"}});
  const std::string bytes = old_.Read("000005.ldb");
  old_.Write("000005.ldb", bytes.substr(0, bytes.size() - 80));  // within its index
  for (const bool has_manifest : {false, true}) {
    SCOPED_TRACE(has_manifest);
    if (has_manifest) WriteManifest({table}, {});
    TempFolder saved;
    ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report,
                         SalvageDatabase(old_.File("."), saved.File(""), {}));
    ASSERT_FALSE(report.lost.empty());
    EXPECT_EQ(report.lost.back().reason,
              has_manifest ? absl::StrCat("is cut short: has ", bytes.size() - 80,
                                          " bytes, the MANIFEST says ", bytes.size())
                           : "has no footer at its end: is cut short, or its end is damaged");
  }
}

}  // namespace
}  // namespace sstable::test
