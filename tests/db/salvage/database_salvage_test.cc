#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/database_files.h"
#include "sstable/database_view.h"
#include "sstable/experimental/log_file.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/internal_key.h"
#include "sstable/salvage.h"
#include "tests/db/salvage/salvage_database_test.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

TEST_F(SalvageDatabaseTest, CopiesASoundDatabase) {
  const TableFile upper = WriteTable(7, 1, {{Key("a", 5), "new"}, {Key("b", 6), "b"}});
  const TableFile lower = WriteTable(5, 2, {{Key("a", 2), "old"}});
  WriteManifest({upper, lower}, {});
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  EXPECT_TRUE(report.complete());
  EXPECT_TRUE(report.levels_kept);
  EXPECT_EQ(new_.Read("000007.ldb"), old_.Read("000007.ldb"));
  EXPECT_EQ(new_.Read("000005.ldb"), old_.Read("000005.ldb"));
  EXPECT_EQ(report.last_sequence, 50);
  EXPECT_EQ(report.entry_count, 3);
  EXPECT_TRUE(absl::StartsWith(new_.Read("CURRENT"), "MANIFEST-"));
}

TEST_F(SalvageDatabaseTest, RefusesANewFolderThatIsNotItsOwn) {
  WriteTable(5, 0, {{Key("a", 1), ""}});
  EXPECT_THAT(SalvageDatabase(old_.File("."), old_.File("inside")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("nothing is written")));
  EXPECT_THAT(old_.Names(), ElementsAre("000005.ldb"));
  new_.Write("mine", "");
  EXPECT_THAT(Salvage(), StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("not empty")));
  EXPECT_THAT(new_.Names(), ElementsAre("mine"));
}

// An empty database would pass for a salvaged one.
TEST_F(SalvageDatabaseTest, MakesNoDatabaseIfNoEntryIsLeft) {
  old_.Write("000005.ldb", std::string(1000, 'x'));
  old_.Write("000006.log", "");
  for (const bool exists : {false, true}) {
    const std::string folder = new_.File(exists ? "" : "new");
    ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report,
                         SalvageDatabase(old_.File("."), folder));
    EXPECT_FALSE(report.is_written);
    EXPECT_THAT(report.lost, Not(testing::IsEmpty()));
    EXPECT_THAT(new_.Names(), testing::IsEmpty());
  }
  std::filesystem::remove(old_.File("000005.ldb"));
  WriteManifest({}, {}, "leveldb.BytewiseComparator", 2, /*log_number=*/6);
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  EXPECT_TRUE(report.is_written) << "an empty database is sound";
}

TEST_F(SalvageDatabaseTest, RefusesAnOrderThatItDoesNotKnow) {
  WriteManifest({WriteTable(5, 0, {{Key("a", 1), ""}})}, {}, "somebody's order");
  EXPECT_THAT(Salvage(), StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("somebody's order")));
  DatabaseSalvageOptions options;
  options.comparator = BytewiseComparator();
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage(options));
  EXPECT_EQ(report.comparator_name, "somebody's order");
}

TEST_F(SalvageDatabaseTest, LeavesNoCurrentWhenItIsInterruptedAnywhere) {
  WriteTable(5, 0, {{Key("a", 1), "x"}, {Key("b", 2), "y"}});
  WriteLog("000006.log", {std::string(WriteBatch().Put("c", "z").bytes())});
  for (int calls = 0;; ++calls) {
    TempFolder folder;
    int left = calls;
    DatabaseSalvageOptions options;
    options.on_progress = [&](uint64_t) {
      return left-- > 0 ? absl::OkStatus() : absl::CancelledError("enough");
    };
    const auto report = SalvageDatabase(old_.File("."), folder.File(""), options);
    if (report.ok()) {
      EXPECT_GT(calls, 5);
      EXPECT_THAT(folder.Names(), Contains("CURRENT"));
      break;
    }
    EXPECT_THAT(report, StatusIs(absl::StatusCode::kCancelled, HasSubstr("enough")));
    EXPECT_THAT(folder.Names(), Not(Contains("CURRENT")));
  }
}

TEST_F(SalvageDatabaseTest, MergesTablesOfWhichNoOrderIsRight) {
  WriteTable(5, 0, {{Key("a", 5), "new"}, {Key("b", 3), "old"}});
  WriteTable(6, 0, {{Key("a", 2), "old"}, {Key("b", 9), "new"}});
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  ASSERT_THAT(report.tables, SizeIs(1));
  EXPECT_THAT(ReadTable(new_.File(TableFileName(report.tables[0].number))),
              ElementsAre("a@5=new", "a@2=old", "b@9=new", "b@3=old"));
}

TEST_F(SalvageDatabaseTest, ReplaysALogThatIsOlderThanATable) {
  WriteTable(5, 0, {{Key("a", 5), "new"}});
  WriteBatch batch;
  batch.Put("a", "old").Delete("b").set_sequence(2);
  WriteLog("000009.log", {std::string(batch.bytes())});
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  ASSERT_THAT(report.tables, SizeIs(2));
  EXPECT_EQ(report.tables[0].number, 5) << "the newer one comes first";
  EXPECT_EQ(report.tables[0].level, 5);
  EXPECT_THAT(ReadTable(new_.File(TableFileName(report.tables[1].number))),
              ElementsAre("a@2=old", "b@3="));
  EXPECT_EQ(report.deletion_count, 1);
}

TEST_F(SalvageDatabaseTest, LeavesOutWhatTheManifestDropped) {
  const TableFile kept = WriteTable(5, 0, {{Key("a", 5), "new"}});
  WriteTable(4, 0, {{Key("b", 1), "dropped"}});
  WriteManifest({kept}, {4});
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  EXPECT_TRUE(report.complete());
  EXPECT_THAT(report.tables, SizeIs(1));
  TempFolder with_dropped;
  DatabaseSalvageOptions options;
  options.include_dropped = true;
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport more,
                       SalvageDatabase(old_.File("."), with_dropped.File(""), options));
  EXPECT_THAT(more.tables, SizeIs(2));
}

TEST_F(SalvageDatabaseTest, LeavesOutWhatAnUnfinishedCompactionWrote) {
  const TableFile upper = WriteTable(5, 0, {{Key("a", 5), "new"}});
  const TableFile lower = WriteTable(4, 1, {{Key("a", 2), "old"}, {Key("b", 1), ""}});
  WriteTable(6, 1, {{Key("a", 5), "new"}, {Key("b", 1), ""}});
  WriteManifest({upper, lower}, {});
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  EXPECT_TRUE(report.complete());
  EXPECT_TRUE(report.levels_kept);
  EXPECT_THAT(report.tables, SizeIs(2));
  EXPECT_THAT(new_.Names(), Not(Contains("000006.ldb")));
}

// It may be newer than the MANIFEST, or from another database.
TEST_F(SalvageDatabaseTest, ReportsATableWithEntriesOfItsOwnThatNoEditNames) {
  const TableFile table = WriteTable(5, 0, {{Key("a", 5), "first"}});
  WriteTable(7, 0, {{Key("a", 9), "alien"}});
  WriteManifest({table}, {});
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  EXPECT_FALSE(report.complete());
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].file, "000007.ldb");
  EXPECT_THAT(report.problems[0].message, HasSubstr("no edit of MANIFEST-000002 names this table"));
  EXPECT_THAT(report.tables, SizeIs(2));
}

TEST_F(SalvageDatabaseTest, ReportsTheKeysOfALostBlockAndSavesWhatItMayHaveHadApart) {
  const TableFile table =
      WriteTable(5, 1, {{Key("a", 5), "first"}, {Key("b", 6), "second"}, {Key("c", 7), "third"}});
  WriteManifest({table, WriteTable(3, 2, {{Key("b", 1), "old"}})}, {});
  std::string bytes = old_.Read("000005.ldb");
  bytes[bytes.find("second")] ^= 1;
  old_.Write("000005.ldb", bytes);
  DatabaseSalvageOptions options;
  options.keep_unverified = true;
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage(options));
  EXPECT_FALSE(report.complete());
  EXPECT_TRUE(report.levels_kept);
  EXPECT_THAT(ReadTable(new_.File("000005.ldb")), ElementsAre("a@5=first", "c@7=third"));
  ASSERT_THAT(report.lost, SizeIs(1));
  EXPECT_EQ(report.lost[0].file, "000005.ldb");
  EXPECT_EQ(report.lost[0].first, "a");
  EXPECT_EQ(report.lost[0].last, "b");
  EXPECT_TRUE(report.lost[0].may_revive) << "the other table has an old b";
  EXPECT_THAT(ReadTable(new_.File("lost/000005.ldb")), ElementsAre("b@6=recond"));
}

TEST_F(SalvageDatabaseTest, SaysThatNothingIsBackWhereNoOtherTableHasTheKeys) {
  const TableFile table =
      WriteTable(5, 1, {{Key("a", 5), "first"}, {Key("b", 6), "second"}, {Key("c", 7), "third"}});
  WriteManifest({table, WriteTable(3, 2, {{Key("x", 1), "old"}})}, {});
  std::string bytes = old_.Read("000005.ldb");
  bytes[bytes.find("second")] ^= 1;
  old_.Write("000005.ldb", bytes);
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  ASSERT_THAT(report.lost, SizeIs(1));
  EXPECT_FALSE(report.lost[0].may_revive);
}

TEST_F(SalvageDatabaseTest, RecognisesTablesThatHaveChangedPlaces) {
  const TableFile upper = WriteTable(5, 0, {{Key("a", 5), "new"}});
  const TableFile lower = WriteTable(4, 0, {{Key("a", 2), "old"}, {Key("b", 1), ""}});
  WriteManifest({upper, lower}, {});
  const std::string bytes = old_.Read("000005.ldb");
  old_.Write("000005.ldb", old_.Read("000004.ldb"));
  old_.Write("000004.ldb", bytes);
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  EXPECT_TRUE(report.complete());
  EXPECT_TRUE(report.levels_kept);
  EXPECT_EQ(new_.Read("000005.ldb"), bytes);
}

TEST_F(SalvageDatabaseTest, ReportsATableThatAnotherOneReplaced) {
  const TableFile first = WriteTable(5, 1, {{Key("a", 5), "new"}});
  const TableFile second = WriteTable(7, 1, {{Key("b", 6), "b"}, {Key("c", 7), "c"}});
  WriteManifest({first, second}, {});
  old_.Write("000007.ldb", old_.Read("000005.ldb"));
  for (const bool is_moved : {false, true}) {
    SCOPED_TRACE(is_moved);
    if (is_moved) std::filesystem::remove(old_.File("000005.ldb"));
    TempFolder saved;
    ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report,
                         SalvageDatabase(old_.File("."), saved.File(""), {}));
    EXPECT_FALSE(report.complete());
    ASSERT_THAT(report.lost, SizeIs(1));
    EXPECT_EQ(report.lost[0].file, "000007.ldb");
    EXPECT_EQ(report.lost[0].first, "b");
    EXPECT_EQ(report.lost[0].last, "c");
    EXPECT_EQ(saved.Read("000005.ldb"), old_.Read("000007.ldb"));
  }
}

// A backup copied over an older one may look like this: LevelDB had dropped table 4 before it began
// a new MANIFEST.
TEST_F(SalvageDatabaseTest, LeavesOutTablesThatWereDroppedBeforeTheManifestBegan) {
  WriteTable(4, 2, {{Key("a", 1), "deleted since"}});
  WriteManifest({WriteTable(5, 2, {{Key("b", 5), "b"}})}, {}, "leveldb.BytewiseComparator", 9);
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  EXPECT_TRUE(report.complete());
  ASSERT_THAT(report.tables, SizeIs(1));
  EXPECT_EQ(report.tables[0].number, 5);
}

TEST_F(SalvageDatabaseTest, UsesTheManifestThatCurrentNames) {
  const TableFile table = WriteTable(5, 2, {{Key("a", 5), "a"}});
  WriteManifest({}, {}, "leveldb.BytewiseComparator", 12);
  WriteManifest({table}, {}, "leveldb.BytewiseComparator", 9);
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  EXPECT_TRUE(report.levels_kept);
  ASSERT_THAT(report.tables, SizeIs(1));
  EXPECT_EQ(report.tables[0].level, 2);
}

TEST_F(SalvageDatabaseTest, ReportsTheSequencesThatALogHasLost) {
  std::vector<std::string> records;
  for (uint64_t sequence = 1; sequence <= 3; ++sequence) {
    WriteBatch batch;
    batch.Put(absl::StrCat("key", sequence), "value").set_sequence(sequence);
    records.emplace_back(batch.bytes());
  }
  WriteLog("000006.log", records);
  std::string bytes = old_.Read("000006.log");
  bytes[bytes.find("key2")] ^= 1;
  old_.Write("000006.log", bytes);
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  ASSERT_THAT(report.tables, SizeIs(1));
  EXPECT_THAT(ReadTable(new_.File(TableFileName(report.tables[0].number))),
              ElementsAre("key1@1=value", "key3@3=value"));
  ASSERT_THAT(report.lost, SizeIs(1));
  EXPECT_EQ(report.lost[0].first_sequence, 2);
  EXPECT_EQ(report.lost[0].last_sequence, 2);
}

// Log 6 is no longer needed, 7 and 8 are. The MANIFEST's last sequence is 50, from when log 8 had
// already begun.
TEST_F(SalvageDatabaseTest, ReplaysALogThatHasTheNameOfAnOlderOne) {
  WriteManifest({WriteTable(5, 2, {{Key("z", 11), "z"}})}, {}, "leveldb.BytewiseComparator", 2,
                /*log_number=*/7);
  const std::string in_tables = Record("deleted since", 10), middle = Record("b", 45),
                    newest = Record("c", 49), above = Record("d", 51);
  const struct {
    const char* name;
    std::vector<std::string> logs;  // names among 6, 7 and 8
    bool is_complete;
    std::vector<std::string> saved;
  } kCases[] = {
      {"in their places", {in_tables, middle, newest}, true, {"b@45=", "c@49="}},
      {"6 and 7", {middle, in_tables, newest}, false, {"b@45=", "c@49="}},
      {"6 and 8", {newest, middle, in_tables}, false, {"b@45=", "c@49="}},
      {"7 and 8", {in_tables, newest, middle}, true, {"b@45=", "c@49="}},
      {"6 and an empty one", {above, "", ""}, false, {"d@51="}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    for (size_t i = 0; i < c.logs.size(); ++i) {
      const bool is_empty = c.logs[i].empty();
      WriteLog(LogFileName(6 + i), std::vector<std::string>(is_empty ? 0 : 1, c.logs[i]));
    }
    TempFolder saved;
    ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report,
                         SalvageDatabase(old_.File("."), saved.File(""), {}));
    EXPECT_EQ(report.complete(), c.is_complete);
    ASSERT_THAT(report.tables, SizeIs(2));
    EXPECT_THAT(ReadTable(saved.File(TableFileName(report.tables[0].number))),
                ElementsAreArray(c.saved));
  }
}

TEST_F(SalvageDatabaseTest, MovesATableToALevelThatLevelDbHas) {
  WriteManifest({WriteTable(5, kLevelDbLevels, {{Key("a", 5), "a"}})}, {});
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.problems[0].message, HasSubstr("000005.ldb is on level 7"));
  EXPECT_EQ(report.tables.at(0).level, kLevelDbLevels - 1);
}

TEST_F(SalvageDatabaseTest, ReportsALogThatIsALinkToNothing) {
  WriteManifest({WriteTable(5, 2, {{Key("a", 5), "a"}})}, {});
  std::filesystem::create_symlink("elsewhere", old_.File("000006.log"));
  std::filesystem::create_directory(old_.File("000007.ldb"));
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  EXPECT_FALSE(report.complete());
  ASSERT_THAT(report.problems, SizeIs(2));
  EXPECT_THAT(report.problems[0].message, HasSubstr("6.log: is a link to a file that does not"));
  EXPECT_THAT(report.problems[1].message, HasSubstr("000007.ldb: is not a regular file"));
}

TEST_F(SalvageDatabaseTest, TakesTheFileThatLevelDbReadsOfTwoWithANumber) {
  WriteManifest({WriteTable(5, 2, {{Key("a", 5), "right"}})}, {});
  const std::string right = old_.Read("000005.ldb");
  WriteTable(5, 2, {{Key("a", 5), "wrong"}});
  old_.Write("0000005.ldb", old_.Read("000005.ldb"));  // comes first by name
  old_.Write("000005.sst", old_.Read("000005.ldb"));
  old_.Write("000005.ldb", right);
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  EXPECT_TRUE(report.complete());
  ASSERT_THAT(report.tables, SizeIs(1));
  EXPECT_EQ(new_.Read("000005.ldb"), right);
}

TEST_F(SalvageDatabaseTest, TakesATableThatHasAnotherName) {
  const TableFile kept = WriteTable(5, 1, {{Key("a", 5), "a"}}),
                  renamed = WriteTable(7, 1, {{Key("b", 6), "b"}, {Key("c", 7), "c"}});
  const std::string bytes = old_.Read("000007.ldb");
  std::filesystem::remove(old_.File("000007.ldb"));
  std::filesystem::create_directory(old_.File("sst_1"));
  WriteManifest({kept, renamed}, {4}, "leveldb.BytewiseComparator", 9, /*log_number=*/8);
  WriteLog("000008.log", {});
  for (const char* name :
       {"000007.log", "000007.bak", "000007 (1).ldb", "000007.ldb.tmp", "000007.LDB", "000004.ldb",
        "000003.ldb", "recovered", "sst_1/000007.sst", "sst_1/000007.bak"}) {
    SCOPED_TRACE(name);
    old_.Write(name, bytes);
    TempFolder saved;
    ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report,
                         SalvageDatabase(old_.File("."), saved.File(""), {}));
    std::filesystem::remove(old_.File(name));
    EXPECT_TRUE(report.complete());
    EXPECT_TRUE(report.levels_kept);
    EXPECT_EQ(saved.Read("000007.ldb"), bytes);
    ASSERT_THAT(report.problems, SizeIs(1));
    EXPECT_EQ(report.problems[0].file, name);
    EXPECT_THAT(report.problems[0].message,
                HasSubstr("has the table that the MANIFEST names 000007.ldb"));
  }
}

// Neither has the missing table's keys.
TEST_F(SalvageDatabaseTest, DoesNotTakeAnotherTableForAMissingOne) {
  const TableFile missing = WriteTable(7, 1, {{Key("b", 6), "b"}, {Key("c", 7), "c"}});
  WriteTable(7, 1, {{Key("b", 6), "b"}, {Key("d", 7), "d"}});
  std::filesystem::rename(old_.File("000007.ldb"), old_.File("000007.bak"));
  old_.Write("recovered", std::string(missing.size, 'x'));
  WriteManifest({WriteTable(5, 1, {{Key("a", 5), "a"}}), missing}, {});
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  ASSERT_THAT(report.lost, SizeIs(1));
  EXPECT_EQ(report.lost[0].reason, "the file is missing");
  EXPECT_THAT(report.tables, SizeIs(1));
}

TEST_F(SalvageDatabaseTest, ReadsTheTablesOfLevelFolders) {
  std::filesystem::create_directory(old_.File("sst_2"));
  WriteTable(5, 2, {{Key("a", 5), "a"}});
  std::filesystem::rename(old_.File("000005.ldb"), old_.File("sst_2/000005.sst"));
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  ASSERT_THAT(report.tables, SizeIs(1));
  EXPECT_THAT(ReadTable(new_.File("000005.ldb")), ElementsAre("a@5=a"));
}

TEST_F(SalvageDatabaseTest, SaysWhichEditMakesAFileUnneeded) {
  WriteTable(3, 2, {{Key("a", 1), "before the MANIFEST"}});
  WriteTable(4, 2, {{Key("a", 2), "dropped"}});
  WriteLog("000006.log", {Record("a", 4)});
  WriteManifest({WriteTable(5, 2, {{Key("b", 5), "b"}})}, {4}, "leveldb.BytewiseComparator", 9,
                /*log_number=*/8);
  WriteLog("000008.log", {});
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage());
  std::vector<std::string> messages;
  for (const RescuedFile& file : report.files) {
    if (file.outcome == RescuedFile::Outcome::kLeftOut) messages.push_back(file.message);
  }
  EXPECT_THAT(messages,
              ElementsAre("no edit of MANIFEST-000009 names it, and it is older than that",
                          "an edit of MANIFEST-000009 drops it",
                          "MANIFEST-000009 says that logs below 000008.log are no longer needed"));
}

TEST_F(SalvageDatabaseTest, KeepsModesButForTheOwners) {
  namespace fs = std::filesystem;
  constexpr auto kPrivate = fs::perms::owner_read | fs::perms::owner_write;
  WriteManifest({WriteTable(5, 2, {{Key("a", 5), "a"}})}, {});
  WriteLog("000006.log", {Record("b", 6)});
  for (const std::string& name : old_.Names()) fs::permissions(old_.File(name), kPrivate);
  fs::permissions(old_.File("000006.log"), fs::perms::owner_read | fs::perms::others_read);
  fs::permissions(old_.File("."), fs::perms::owner_all | fs::perms::group_read);
  const std::string saved = new_.File("saved");
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report,
                       SalvageDatabase(old_.File("."), saved, {}));
  EXPECT_EQ(fs::status(saved).permissions(), fs::perms::owner_all | fs::perms::group_read);
  for (const auto& entry : fs::directory_iterator(saved)) {
    const bool is_of_log = entry.path().filename() == report.files.at(1).new_name;
    EXPECT_EQ(entry.status().permissions(),
              is_of_log ? kPrivate | fs::perms::others_read : kPrivate)
        << entry.path();
  }
}

TEST_F(SalvageDatabaseTest, LinksSoundTables) {
  WriteManifest({WriteTable(5, 2, {{Key("a", 5), "a"}}),
                 WriteTable(7, 2, {{Key("b", 6), "damaged"}, {Key("c", 7), "c"}})},
                {});
  std::string bytes = old_.Read("000007.ldb");
  bytes[bytes.find("damaged")] ^= 1;
  old_.Write("000007.ldb", bytes);
  std::filesystem::permissions(old_.File("000005.ldb"), std::filesystem::perms::owner_read);
  DatabaseSalvageOptions options;
  options.link_tables = true;
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage(options));
  EXPECT_EQ(report.files.at(0).outcome, RescuedFile::Outcome::kLinked);
  EXPECT_TRUE(std::filesystem::equivalent(old_.File("000005.ldb"), new_.File("000005.ldb")));
  EXPECT_EQ(std::filesystem::status(old_.File("000005.ldb")).permissions(),
            std::filesystem::perms::owner_read)
      << "nothing is written to the old folder";
  EXPECT_EQ(report.files.at(1).outcome, RescuedFile::Outcome::kRebuilt);
}

TEST_F(SalvageDatabaseTest, MakesNoLinkToALink) {
  WriteManifest({WriteTable(5, 2, {{Key("a", 5), "a"}})}, {});
  std::filesystem::rename(old_.File("000005.ldb"), old_.File("elsewhere"));
  std::filesystem::create_symlink("elsewhere", old_.File("000005.ldb"));
  DatabaseSalvageOptions options;
  options.link_tables = true;
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report, Salvage(options));
  EXPECT_FALSE(std::filesystem::is_symlink(new_.File("000005.ldb")));
  EXPECT_THAT(ReadTable(new_.File("000005.ldb")), ElementsAre("a@5=a"));
}

TEST_F(SalvageDatabaseTest, MakesAFolderOfLooseFiles) {
  WriteTable(5, 2, {{Key("a", 5), "a"}});
  std::filesystem::rename(old_.File("000005.ldb"), old_.File("f0001"));
  WriteLog("f0002", {Record("b", 6)});
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report,
                       SalvageFiles({old_.File("f0002"), old_.File("f0001")}, new_.File(""), {}));
  EXPECT_FALSE(report.complete()) << "nothing says what else there was";
  EXPECT_THAT(report.lost, SizeIs(0));
  ASSERT_THAT(report.tables, SizeIs(2));
  EXPECT_EQ(report.last_sequence, 6);
  EXPECT_THAT(SalvageFiles({old_.File("absent")}, new_.File(""), {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("can't open")));
}

// LevelDB opens it, and has the table's data. Only a log with later writes would show a loss.
TEST_F(SalvageDatabaseTest, TakesATornLogForWholeIfNewerOnesAreEmpty) {
  WriteManifest({WriteTable(5, 2, {{Key("a", 5), "a"}})}, {});
  const struct {
    const char* name;
    std::vector<std::vector<std::string>> newer;  // records of logs 7 and 8
    bool is_complete;
  } kCases[] = {{"none", {}, false},
                {"an empty one", {{}}, true},
                {"two empty ones", {{}, {}}, true},
                {"an empty one and a written one", {{}, {Record("c", 9)}}, false}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    WriteLog("000006.log", {Record("b", 6)});
    old_.Write("000006.log", old_.Read("000006.log") + std::string(9, '\1'));
    for (size_t i = 0; i < c.newer.size(); ++i) WriteLog(LogFileName(7 + i), c.newer[i]);
    TempFolder saved;
    ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report,
                         SalvageDatabase(old_.File("."), saved.File(""), {}));
    EXPECT_EQ(report.complete(), c.is_complete);
    EXPECT_EQ(report.lost.size(), c.is_complete ? 0 : 1);
  }
}

TEST_F(SalvageDatabaseTest, OfTwoLogsOrBatchesWithOneNumberTakesTheOneThatLevelDbReads) {
  WriteManifest({WriteTable(5, 2, {{Key("a", 5), "a"}})}, {});
  const auto batch = [](const std::string& value) {
    WriteBatch batch;
    batch.Put("b", value);
    batch.set_sequence(6);
    return std::string(batch.bytes());
  };
  WriteLog("000006.log", {batch("earlier"), batch("later")});
  WriteLog("6.log", {Record("c", 7)});
  const auto report = Salvage();
  ASSERT_OK(report);
  std::vector<std::string> messages;
  for (const DatabaseProblem& problem : report->problems) messages.push_back(problem.message);
  EXPECT_THAT(messages, testing::Contains(testing::HasSubstr(
                            "\"b\" @6 is written again later in the logs, at the same sequence "
                            "with another value, which is used; such changes: 1")));
  ASSERT_OK_AND_ASSIGN(const auto view, DatabaseView::Open(new_.File("")));
  std::string value;
  EXPECT_EQ(view->Get("b", &value).value(), Presence::kFound);
  EXPECT_EQ(value, "later");
  EXPECT_EQ(view->Get("c", &value).value(), Presence::kAbsent);
}

// Counts key comparisons.
class CountingComparator final : public Comparator {
 public:
  absl::string_view Name() const override { return BytewiseComparator()->Name(); }
  int Compare(absl::string_view a, absl::string_view b) const override {
    ++count;
    return BytewiseComparator()->Compare(a, b);
  }
  void FindShortestSeparator(std::string*, absl::string_view) const override {}
  void FindShortSuccessor(std::string*) const override {}

  mutable uint64_t count = 0;
};

// 60 tables, with 1,000 missing ones, and without a MANIFEST.
TEST_F(SalvageDatabaseTest, ComparesEachTableWithItsNeighboursOnly) {
  constexpr uint64_t kTables = 60, kMissing = 1000;
  std::vector<TableFile> named;
  for (uint64_t i = 1; i <= kTables + kMissing; ++i) {
    const std::string key = absl::StrCat("key", 10000 + i);
    named.push_back(i % 17 == 0 && i / 17 <= kTables
                        ? WriteTable(i, 1, {{Key(key, i), ""}})
                        : TableFile{1, i, i, Key(key, i), Key(key, i)});
  }
  for (const bool has_manifest : {false, true}) {
    SCOPED_TRACE(has_manifest);
    if (has_manifest) WriteManifest(named, {});
    TempFolder saved;
    CountingComparator comparator;
    DatabaseSalvageOptions options;
    options.comparator = &comparator;
    ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report,
                         SalvageDatabase(old_.File("."), saved.File(""), options));
    EXPECT_EQ(report.tables.size(), kTables);
    EXPECT_EQ(report.lost.size(), has_manifest ? kMissing : 0);
    EXPECT_LT(comparator.count, has_manifest ? 40 * kMissing : 60 * kTables);
  }
}

}  // namespace
}  // namespace sstable::test
