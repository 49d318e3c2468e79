// Damages folders written by LevelDB. The view must report the damage and have the remaining data.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/database_view.h"
#include "tests/db/leveldb_folder_test.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using DatabaseViewDamageTest = LevelDbFolderTest;

TEST_F(DatabaseViewDamageTest, DoesWithoutCurrent) {
  Create();
  Write(5000);
  database_->TablePaths();
  for (const auto& [contents, problem] : std::vector<std::pair<std::string, std::string>>{
           {"", "CURRENT: can't open: No such file or directory"},
           {"MANIFEST-000099\n", "MANIFEST-000099: can't open: No such file or directory"},
           {"MANIFEST-000002", R"(CURRENT: is "MANIFEST-000002", expected "MANIFEST-000002\n")"},
           {"x", "CURRENT: is "}}) {
    const std::string copy = Copy();
    std::filesystem::remove(copy + "/CURRENT");
    if (!contents.empty()) std::ofstream(copy + "/CURRENT") << contents;
    const auto view = Open(copy);
    EXPECT_EQ(view->source(), StateSource::kManifest);
    EXPECT_THAT(Damage(*view), ElementsAre(AllOf(StartsWith(copy + "/" + problem),
                                                 EndsWith("; MANIFEST-000002 is used"))));
    ExpectEqual(*view);
  }
}

TEST_F(DatabaseViewDamageTest, GoesByTheFilesWithoutAManifest) {
  Create();
  Write(9000);
  database_->TablePaths();
  const std::string copy = Copy();
  const std::string manifest = Open(copy)->manifest_name();
  std::filesystem::remove(copy + "/" + manifest);
  const auto view = Open(copy);
  EXPECT_EQ(view->source(), StateSource::kFiles);
  EXPECT_THAT(Damage(*view), testing::Contains(HasSubstr(manifest)));
  EXPECT_GT(view->ListTables().size(), 1u);
  ExpectEqual(*view);
  EXPECT_EQ(view->ListTables()[0].level, -1);
}

TEST_F(DatabaseViewDamageTest, GoesByTheFilesIfTheManifestIsDamaged) {
  Create();
  Write(9000);
  database_->TablePaths();
  const std::string copy = Copy();
  const std::string manifest = copy + "/" + Open(copy)->manifest_name();
  Flip(manifest, std::filesystem::file_size(manifest) - 3);
  const auto view = Open(copy);
  EXPECT_EQ(view->source(), StateSource::kFiles);
  EXPECT_EQ(view->comparator_name(), "leveldb.BytewiseComparator");  // from earlier edits
  EXPECT_THAT(Damage(*view), testing::Contains(HasSubstr(manifest + ": at offset")));
  ExpectEqual(*view);
}

TEST_F(DatabaseViewDamageTest, LeavesOutWhatTheManifestDropped) {
  Create();
  Write(5000);
  database_->FlushMemtable();
  const std::string old = database_->TablePaths()[0];
  const std::string kept = folder_.File("kept");
  std::filesystem::copy(old, kept);
  database_->Compact();
  Write(10);
  database_->TablePaths();
  ASSERT_FALSE(std::filesystem::exists(old));
  std::filesystem::copy(kept, old);
  const auto view = Open(path_);
  ExpectEqual(*view);
  EXPECT_THAT(Damage(*view), IsEmpty());
  ASSERT_EQ(view->FindProblems().size(), 1u);
  EXPECT_EQ(view->FindProblems()[0].message,
            old + ": was dropped by an edit of the MANIFEST: not part of the database");
}

TEST_F(DatabaseViewDamageTest, EndsWithAnErrorWhereATableIsMissingOrAnother) {
  Create();
  Write(9000);
  database_->Compact();
  Write(9000);
  database_->TablePaths();
  const std::string name = Open(path_)->ListTables().back().name;
  const std::string other = Open(path_)->ListTables().front().name;
  const auto remove = [&](const std::string& path) { std::filesystem::remove(path); };
  const auto cut = [&](const std::string& path) { std::filesystem::resize_file(path, 100); };
  const auto swap = [&](const std::string& path) {
    std::filesystem::copy(std::filesystem::path(path).parent_path() / other, path,
                          std::filesystem::copy_options::overwrite_existing);
  };
  for (const std::function<void(const std::string&)>& damage :
       {std::function<void(const std::string&)>(remove), {cut}, {swap}}) {
    const std::string copy = Copy();
    damage(copy + "/" + name);
    const auto view = Open(copy);
    EXPECT_EQ(view->source(), StateSource::kManifest);
    EXPECT_THAT(Damage(*view), testing::Contains(HasSubstr(copy + "/" + name)));
    const auto it = view->NewIterator();
    for (it->SeekToFirst(); it->Valid();) it->Next();
    EXPECT_THAT(it->status().message(), HasSubstr(copy + "/" + name));

    std::vector<std::string> problems;
    ViewReadOptions options;
    options.on_damage = [&](const DatabaseProblem& problem) { problems.push_back(problem.file); };
    const Entries forward = Scan(*view, options);
    EXPECT_THAT(problems, testing::ElementsAre(name));
    EXPECT_EQ(ScanBackward(*view, options), forward);
    EXPECT_GT(forward.size(), 100u);
  }
}

TEST_F(DatabaseViewDamageTest, GoesOnAfterADamagedBlock) {
  Create();
  Write(9000);
  database_->Compact();
  database_->TablePaths();
  const std::string copy = Copy();
  const DatabaseTable table = Open(copy)->ListTables()[0];
  for (const size_t offset : {size_t{10}, table.size / 2, table.size / 2 + 1100}) {
    Flip(copy + "/" + table.name, offset);
  }
  const auto view = Open(copy);
  EXPECT_THAT(Damage(*view), IsEmpty());  // found only by reading the table
  std::vector<DatabaseProblem> problems;
  ViewReadOptions options;
  options.on_damage = [&](const DatabaseProblem& problem) { problems.push_back(problem); };
  const Entries forward = Scan(*view, options);
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0].offset, 0u);
  EXPECT_GT(*problems[1].offset, table.size / 2 - 1200);
  EXPECT_THAT(problems[1].message, HasSubstr("crc32c"));
  problems.clear();
  EXPECT_EQ(ScanBackward(*view, options), forward);
  EXPECT_EQ(problems.size(), 3u);
  const Entries all = database_->Scan({});
  EXPECT_LT(forward.size(), all.size());
  EXPECT_TRUE(std::includes(all.begin(), all.end(), forward.begin(), forward.end()));
  std::string value;
  EXPECT_THAT(view->Get(all[0].first, &value),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("")));
  EXPECT_EQ(*view->Get(all[0].first, &value, options), Presence::kAbsent);
  EXPECT_EQ(problems.size(), 4u);
}

TEST_F(DatabaseViewDamageTest, TakesATornLogAsLevelDbDoes) {
  Create();
  for (int i = 0; i < 100; ++i) database_->Put(Key(static_cast<size_t>(i)), "value");
  const std::string copy = Copy();
  const std::string log = copy + "/" + Open(copy)->logs()[0].name;
  std::filesystem::resize_file(log, std::filesystem::file_size(log) - 1);
  const auto view = Open(copy);
  EXPECT_EQ(Scan(*view).size(), 99u);
  ASSERT_EQ(view->FindProblems().size(), 1u);
  EXPECT_FALSE(view->FindProblems()[0].is_damage);
  EXPECT_EQ(view->logs()[0].batch_count, 99u);
  EXPECT_EQ(view->logs()[0].last_sequence, 99u);

  Flip(log, 50 * 35 + 20);
  EXPECT_EQ(Scan(*Open(copy)).size(), 50u);
  EXPECT_THAT(Damage(*Open(copy)), testing::ElementsAre(HasSubstr("checksum")));
  DatabaseViewOptions options;
  options.resume_within_log_block = true;
  EXPECT_EQ(Scan(*Open(copy, options)).size(), 98u);
  std::filesystem::remove(log);
  EXPECT_THAT(Damage(*Open(copy)), IsEmpty());  // LevelDB opens the folder without the log
}

}  // namespace
}  // namespace sstable::test
