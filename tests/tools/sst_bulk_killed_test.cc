// Kills workers and `sst manifest` at any system call. The database must be the same as without
// kills.
#include <csignal>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "leveldb/db.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

namespace fs = std::filesystem;

// Ten parts of unsorted records, to be built in "db" with kills and in "one" without.
class SstBulkKilledTest : public SstTest {
 protected:
  void SetUp() override {
    fs::create_directory(Path("db"));
    fs::create_directory(Path("one"));
    fs::create_directory(Path("scratch"));
    for (int i = 0; i < kRecordCount; ++i) {
      const int number = 10000 + i * 7919 % kRecordCount;
      const std::string key = absl::StrCat("key", number), value = absl::StrCat("value", i);
      absl::StrAppend(&tsv_, key, "\t", value, "\n");
      records_[key] = value;
    }
    folder_.Write("in.tsv", tsv_);
    const Result split = Run({"split", "--parts", "10", Path("in.tsv")});
    ranges_ = absl::StrSplit(split.out, '\n', absl::SkipEmpty());
    ASSERT_EQ(ranges_.size(), 10);
  }

  std::vector<std::string> BuildArguments(const std::string& folder, size_t part) const {
    return {"build",  Path(folder), "--number",    absl::StrCat(part + 1),
            "--sort", "--range",    ranges_[part], Path("in.tsv")};
  }

  // Returns the contents of each file by name.
  std::map<std::string, std::string> Files(const std::string& folder) const {
    std::map<std::string, std::string> files;
    for (const auto& file : fs::directory_iterator(Path(folder))) {
      const std::string name = file.path().filename();
      files[name] = folder_.Read(absl::StrCat(folder, "/", name));
    }
    return files;
  }

  static test::CommandOptions KilledAt(int call) {
    test::CommandOptions options;
    options.signal = SIGKILL;
    options.signal_at_call = call;
    // LeakSanitizer does not work under ptrace().
    options.environment.push_back("ASAN_OPTIONS=detect_leaks=0");
    return options;
  }

  static constexpr int kNever = std::numeric_limits<int>::max() / 4;
  static constexpr int kRecordCount = 3000;
  std::string tsv_;
  std::map<std::string, std::string> records_;
  std::vector<std::string> ranges_;
};

TEST_F(SstBulkKilledTest, EndsInTheBytesOfARunWithoutKills) {
  const Result whole = Run(BuildArguments("scratch", 0), KilledAt(kNever));
  ASSERT_EQ(whole.exit_code, 0) << whole;
  if (!Run(BuildArguments("scratch", 0), KilledAt(0)).got_signal) {
    GTEST_SKIP() << "ptrace() is not allowed";
  }
  constexpr int kKills = 12;  // for each worker; together they cover the last 120 calls
  std::string lines, lines_of_one;
  for (size_t part = 0; part < ranges_.size(); ++part) {
    for (int kill = 0; kill < kKills; ++kill) {
      const int call = whole.calls - 1 - kill * 10 - static_cast<int>(part);
      SCOPED_TRACE(absl::StrCat("part ", part, ", call ", call, " of ", whole.calls));
      // The last few calls vary between runs.
      EXPECT_TRUE(Run(BuildArguments("db", part), KilledAt(call)).got_signal ||
                  call > whole.calls - 20);
    }
    absl::StrAppend(&lines, Run(BuildArguments("db", part)).out);
    absl::StrAppend(&lines_of_one, Run(BuildArguments("one", part)).out);
  }
  EXPECT_EQ(lines, lines_of_one);
  EXPECT_GT(Files("db").size(), 10) << "some left litter";
  test::CommandOptions of_one;
  of_one.input = lines;
  const Result manifest = Run({"manifest", Path("one")}, of_one);
  ASSERT_EQ(manifest.exit_code, 0) << manifest;
  int kills = 0;
  // Each run is killed 20 calls later than the previous one.
  while (!fs::exists(Path("db/CURRENT"))) {
    test::CommandOptions options = KilledAt(20 * kills++);
    options.input = lines;
    ASSERT_LT(kills, 1000);
    Run({"manifest", Path("db")}, options);
  }
  EXPECT_GT(kills, 10);
  EXPECT_EQ(Files("db"), Files("one"));
}

TEST_F(SstBulkKilledTest, LevelDbReadsAllRecordsAndLeavesTheTablesAlone) {
  std::string lines;
  for (size_t part = 0; part < ranges_.size(); ++part) {
    absl::StrAppend(&lines, Run(BuildArguments("db", part)).out);
  }
  ASSERT_EQ(RunWithInput({"manifest", Path("db")}, lines).exit_code, 0);
  const auto tables = [this] {
    std::map<std::string, std::string> files = Files("db");
    for (auto it = files.begin(); it != files.end();) {
      it = absl::EndsWith(it->first, ".ldb") ? std::next(it) : files.erase(it);
    }
    return files;
  };
  const auto built = tables();
  EXPECT_EQ(built.size(), 10);
  for (int round = 0; round < 2; ++round) {
    leveldb::DB* opened = nullptr;
    leveldb::Options options;
    options.paranoid_checks = true;
    ASSERT_TRUE(leveldb::DB::Open(options, Path("db"), &opened).ok());
    const std::unique_ptr<leveldb::DB> database(opened);
    std::map<std::string, std::string> read;
    leveldb::ReadOptions verify;
    verify.verify_checksums = true;
    const std::unique_ptr<leveldb::Iterator> it(database->NewIterator(verify));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      read[it->key().ToString()] = it->value().ToString();
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    EXPECT_EQ(read, records_);
    std::string value;
    EXPECT_TRUE(database->GetProperty("leveldb.num-files-at-level6", &value));
    EXPECT_EQ(value, "10");
    EXPECT_EQ(tables(), built);
    if (round == 0) continue;
    ASSERT_TRUE(database->Put({}, "key10000", "new").ok());
    EXPECT_TRUE(database->Get({}, "key10000", &value).ok());
    EXPECT_EQ(value, "new");
  }
}

}  // namespace
}  // namespace sstable::tools
