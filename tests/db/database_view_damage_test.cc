// Tests folders whose files contradict the MANIFEST or their own names.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/database_files.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "tests/db/made_folder_test.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_parts.h"

namespace sstable::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using DatabaseViewDamageTest = MadeFolderTest;

// Also tests a view that may not open all tables, since it does not read file sizes when it is
// opened.
TEST_F(DatabaseViewDamageTest, ReportsATableOfAnotherSize) {
  WriteDatabase();
  const std::string table = folder_.Read("000005.ldb");
  folder_.Write("000005.ldb", table + "more");
  for (const size_t max_open_files : {1, 1000}) {
    DatabaseViewOptions options;
    options.max_open_files = max_open_files;
    const auto view = DatabaseView::Open(folder_.File("."), options);
    ASSERT_OK(view);
    std::string value;
    EXPECT_EQ((*view)->Get("a9", &value).value(), Presence::kFound);
    EXPECT_THAT(Damage(**view),
                ElementsAre(absl::StrCat(Path("000005.ldb"), ": has ", table.size() + 4,
                                         " bytes, the MANIFEST says ", table.size())));
    EXPECT_EQ((*view)->ListTables().front().file_size, table.size() + 4);
    EXPECT_EQ((*view)->ListTables().back().file_size, table.size());
    for (const DatabaseFile& file : (*view)->ListFiles()) {
      EXPECT_EQ(file.size, std::filesystem::file_size(Path(file.name))) << file.name;
    }
    EXPECT_EQ((*view)->Get("b9", &value).value(), Presence::kFound);
  }
}

TEST_F(DatabaseViewDamageTest, ReportsAMissingTableThoughItIsNotOpened) {
  WriteDatabase();
  std::filesystem::remove(Path("000007.ldb"));
  DatabaseViewOptions options;
  options.max_open_files = 1;
  const auto view = DatabaseView::Open(folder_.File("."), options);
  ASSERT_OK(view);
  EXPECT_THAT(Damage(**view), ElementsAre(HasSubstr("000007.ldb: can't open")));
  EXPECT_EQ((*view)->ListTables().back().file_size, std::nullopt);
}

TEST_F(DatabaseViewDamageTest, DoesNotCallAKeyAbsentThatAWrongRangeHides) {
  const TableFile right =
      WriteTable(5, {{Key("b", 1), "b"}, {Key("d", 2), "d"}, {Key("f", 3), ""}});
  folder_.Write("000004.log", "");
  const auto with_range = [&](const std::string& smallest, const std::string& largest) {
    TableFile wrong = right;
    wrong.smallest = smallest;
    wrong.largest = largest;
    return wrong;
  };
  const std::vector<TableFile> wrong = {
      with_range(Key("b", 1), Key("c", 2)),                                        // ends too early
      with_range(Key("a", 1), Key("a", 1)), with_range(Key("f", 3), Key("b", 1)),  // reversed
  };
  for (const TableFile& table : wrong) {
    for (const bool has_next : {true, false}) {
      const TableFile next = WriteTable(7, {{Key("m", 4), "m"}});
      WriteManifest(has_next ? std::vector<TableFile>{table, next} : std::vector<TableFile>{table});
      if (!has_next) std::filesystem::remove(Path("000007.ldb"));
      const auto damaged = StatusIs(absl::StatusCode::kDataLoss, HasSubstr("000005.ldb: "));
      const auto view = Open();
      std::string value;
      EXPECT_THAT(view->Get("d", &value), damaged) << table.largest;
      const auto it = view->NewIterator();
      it->Seek("d");
      EXPECT_THAT(it->status(), damaged) << table.largest;
      std::vector<std::string> problems;
      ViewReadOptions options;
      options.on_damage = [&](const DatabaseProblem& problem) { problems.push_back(problem.file); };
      EXPECT_OK(view->Get("d", &value, options));
      EXPECT_THAT(problems, ElementsAre("000005.ldb"));
      EXPECT_THAT(Damage(*Open(/*check_ranges=*/true)),
                  ElementsAre(AllOf(HasSubstr("000005.ldb: "), HasSubstr("the MANIFEST says"))));
    }
  }
  WriteManifest({wrong.back()});
  EXPECT_THAT(Damage(*Open()),
              ElementsAre(Path("000005.ldb") + ": the MANIFEST says that its first key is \"f\" "
                                               "@3, expected one not after its last, \"b\" @1"));
}

// "c" is in the first block, though above that block's index key.
TEST_F(DatabaseViewDamageTest, DoesNotLeaveOutAKeyThatAWrongIndexKeyHides) {
  TableAssembler assembler;
  assembler.AddDataBlock(Key("b", 1), {{Key("a", 1), "1"}, {Key("c", 2), "2"}});
  assembler.AddDataBlock(Key("f", 4), {{Key("e", 3), "3"}, {Key("f", 4), "4"}});
  const std::string bytes = assembler.Finish();
  folder_.Write("000005.ldb", bytes);
  folder_.Write("000004.log", "");
  WriteManifest({{1, 5, bytes.size(), Key("a", 1), Key("f", 4)}});
  const auto view = Open();
  const auto above_index_key = HasSubstr("data block at offset 0");
  const auto it = view->NewIterator();
  it->Seek("c");
  EXPECT_FALSE(it->Valid());
  EXPECT_THAT(it->status(), StatusIs(absl::StatusCode::kDataLoss, above_index_key));

  std::vector<std::string> reports;
  ViewReadOptions options;
  options.on_damage = [&](const DatabaseProblem& problem) { reports.push_back(problem.message); };
  const auto reporting = view->NewIterator(options);
  reporting->Seek("c");
  ASSERT_TRUE(reporting->Valid());
  EXPECT_EQ(reporting->key(), "c");
  EXPECT_THAT(reports, ElementsAre(above_index_key));
  reporting->SeekToLast();
  std::string keys;
  for (; reporting->Valid(); reporting->Prev()) absl::StrAppend(&keys, reporting->key());
  EXPECT_EQ(keys, "feca");
}

// From the previous key, Next() stays in the block, in one table or merged with another.
TEST_F(DatabaseViewDamageTest, ReportsAKeyThatIsNotAnInternalKeyAndGoesOn) {
  TableAssembler assembler;
  assembler.AddDataBlock(
      Key("d", 3),
      {{Key("a", 1), "1"}, {"b" + std::string(8, '\x07'), ""}, {"c", ""}, {Key("d", 3), "3"}});
  const std::string bytes = assembler.Finish();
  folder_.Write("000005.ldb", bytes);
  folder_.Write("000004.log", "");
  const TableFile table = {1, 5, bytes.size(), Key("a", 1), Key("d", 3)};
  TableFile other = WriteTable(7, {{Key("a0", 4), "4"}, {Key("e", 5), "5"}});
  other.level = 2;
  for (const bool is_merged : {false, true}) {
    WriteManifest(is_merged ? std::vector<TableFile>{table, other} : std::vector<TableFile>{table});
    const auto view = Open();
    const auto failing = view->NewIterator();
    for (failing->SeekToFirst(); failing->Valid();) failing->Next();
    EXPECT_THAT(failing->status(),
                StatusIs(absl::StatusCode::kDataLoss,
                         HasSubstr("000005.ldb: data block at offset 0: key \"b\"")));
    size_t problems = 0;
    ViewReadOptions options;
    options.on_damage = [&problems](const DatabaseProblem&) { ++problems; };
    std::string live, all;
    const auto it = view->NewIterator(options);
    for (it->SeekToFirst(); it->Valid(); it->Next()) absl::StrAppend(&live, it->key(), it->value());
    EXPECT_OK(it->status());
    const auto history = view->NewHistoryIterator(options);
    for (history->SeekToFirst(); history->Valid(); history->Next()) {
      absl::StrAppend(&all, history->entry().key, history->entry().value);
    }
    EXPECT_EQ(live, is_merged ? "a1a04d3e5" : "a1d3");
    EXPECT_EQ(all, live);
    EXPECT_EQ(problems, 4u);
  }
}

}  // namespace
}  // namespace sstable::test
