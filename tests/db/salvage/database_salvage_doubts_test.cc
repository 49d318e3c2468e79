// Salvage of a folder says what is wrong with a file if that is known, and claims nothing more.
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/database_files.h"
#include "sstable/salvage.h"
#include "tests/db/salvage/salvage_database_test.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

// A log is not reported as missing if only a later, lost edit could name it.
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
                    HasSubstr("; last key is \"c\" @9, expected \"b\" @6; its entries are "
                              "included, though they may belong to another database")));
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
      Contains(
          Field(&DatabaseProblem::message,
                AllOf(HasSubstr("000007.ldb: 25 keys are not in the order of "
                                "leveldb.BytewiseComparator; entries are sorted; they are in that "
                                "of rocksdb.ReverseBytewiseComparator"),
                      HasSubstr("may belong to another database")))));
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
            "2 entries were left out, since their keys are not internal keys, as in a database");
}

// Three blocks of 105 bytes: the second can't be walked, so the third may be in a value of it.
TEST_F(SalvageDatabaseTest, SaysThatEntriesMayBeOfATableThatWasAValue) {
  const std::string value(80, 'v');
  WriteTable(5, 1, {{Key("a", 5), value}, {Key("b", 6), value}, {Key("c", 7), value}});
  std::string bytes = old_.Read("000005.ldb").substr(0, 315);
  bytes.at(107) = '\xff';
  old_.Write("000005.ldb", bytes);
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  EXPECT_FALSE(report.complete());
  EXPECT_THAT(report.lost,
              Contains(Field(&LostEntries::reason,
                             HasSubstr("saved entries may belong to a table that was the value"))));
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
                           : "has no footer: it is cut short, or its end is damaged");
  }
}

// 5 and 6 were compacted into 9 by an edit that the MANIFEST has lost; 7 is really missing.
TEST_F(SalvageDatabaseTest, DoesNotMissTablesThatWereCompacted) {
  const std::vector<TableFile> named = {WriteTable(5, 1, {{Key("a", 1), ""}, {Key("c", 3), ""}}),
                                        WriteTable(6, 0, {{Key("a", 4), ""}, {Key("d", 5), ""}}),
                                        WriteTable(7, 0, {{Key("a", 6), ""}, {Key("d", 7), ""}})};
  for (const uint64_t number : {5, 6, 7}) {
    std::filesystem::remove(old_.File(TableFileName(number)));
  }
  WriteTable(9, 1, {{Key("a", 4), ""}, {Key("c", 3), ""}, {Key("d", 5), ""}});
  WriteManifest(named, {});
  old_.Write("MANIFEST-000002", old_.Read("MANIFEST-000002") + "torn");
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  ASSERT_THAT(report.lost, SizeIs(1));
  EXPECT_EQ(report.lost[0].file, "000007.ldb");
  EXPECT_EQ(report.lost[0].reason,
            "the file is missing, unless an edit that can't be read has dropped it");
  EXPECT_THAT(report.problems,
              Contains(Field(&DatabaseProblem::message,
                             HasSubstr("MANIFEST-000002: names 000005.ldb and 1 more, compacted "
                                       "since: newer tables have the first and last entry"))));
  EXPECT_THAT(report.files, SizeIs(2)) << "7, which is missing, and 9";
}

// Another database may have the same key and sequence with another value.
TEST_F(SalvageDatabaseTest, LeavesOutATableOnlyIfOthersHaveItsValues) {
  WriteManifest({WriteTable(5, 1, {{Key("a", 1), "a"}})}, {});
  WriteTable(7, 1, {{Key("b", 6), "ours"}});
  for (const char* value : {"ours", "theirs"}) {
    SCOPED_TRACE(value);
    WriteBatch batch;
    batch.Put("b", value).set_sequence(6);
    WriteLog("000008.log", {std::string(batch.bytes())});
    TempFolder saved;
    ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report,
                         SalvageDatabase(old_.File("."), saved.File(""), {}));
    const bool is_same = value == std::string("ours");
    EXPECT_EQ(report.complete(), is_same);
    EXPECT_EQ(report.files.at(1).outcome,
              is_same ? RescuedFile::Outcome::kLeftOut : RescuedFile::Outcome::kCopied);
  }
}

// The log that replaced the right one has the rest of the table.
TEST_F(SalvageDatabaseTest, ReportsTheLossesOfARenamedTableWhateverTheLogsHave) {
  const TableFile table =
      WriteTable(5, 1, {{Key("a", 5), ""}, {Key("b", 6), "lost"}, {Key("c", 7), ""}});
  std::string bytes = old_.Read("000005.ldb");
  bytes[bytes.find("lost")] ^= 1;
  std::filesystem::remove(old_.File("000005.ldb"));
  old_.Write("000009.ldb", bytes);
  WriteLog("000008.log", {Record("a", 5), Record("c", 7)});
  WriteManifest({table}, {});
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  ASSERT_THAT(report.lost, SizeIs(1));
  EXPECT_EQ(report.lost[0].file, "000009.ldb");
}

TEST_F(SalvageDatabaseTest, ReportsALogThatIsOlderThanTheTables) {
  WriteManifest({WriteTable(5, 1, {{Key("a", 5), "a"}, {Key("b", 9), "b"}})}, {});
  for (const uint64_t sequence : {9, 10}) {
    SCOPED_TRACE(sequence);
    WriteLog("000008.log", {Record("c", sequence)});
    TempFolder saved;
    ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report,
                         SalvageDatabase(old_.File("."), saved.File(""), {}));
    EXPECT_EQ(report.complete(), sequence == 10);
    if (sequence == 10) continue;
    ASSERT_THAT(report.problems, SizeIs(1));
    EXPECT_THAT(report.problems[0].message,
                HasSubstr("the logs have sequences from 9 on, expected only those above 9"));
  }
}

}  // namespace
}  // namespace sstable::test
