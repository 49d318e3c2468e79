#include "examples/toy_lsm/db.h"

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/iterator.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_walk.h"
#include "tests/support/temp_folder.h"

namespace toy_lsm {
namespace {

namespace fs = std::filesystem;

using ::sstable::test::StatusIs;
using ::sstable::test::TempFolder;
using ::testing::HasSubstr;

// Small buffers, so that a few thousand writes fill several levels.
Options SmallOptions() {
  Options options;
  options.write_buffer_size = 16 << 10;
  options.max_table_size = 4 << 10;
  options.level1_size = 16 << 10;
  options.block_size = 512;
  return options;
}

std::unique_ptr<Db> OpenOrDie(const Options& options, const std::string& path) {
  return Db::Open(options, path).value();
}

std::string GetOr(const Db& db, absl::string_view key, const std::string& absent,
                  const Snapshot& snapshot = nullptr) {
  std::string value;
  return db.Get(key, &value, snapshot).value() ? value : absent;
}

std::string FileWith(const TempFolder& folder, absl::string_view suffix) {
  std::string found;
  for (const auto& entry : fs::directory_iterator(folder.File("db"))) {
    if (absl::EndsWith(entry.path().string(), suffix)) found = entry.path();
  }
  return found;
}

TEST(DbTest, ASnapshotSeesNoLaterChangeWhateverIsCompacted) {
  const TempFolder folder;
  const auto db = OpenOrDie(SmallOptions(), folder.File("db"));
  for (int i = 0; i < 500; ++i) EXPECT_OK(db->Put(absl::StrFormat("%04d", i), "old"));
  const auto snapshot = db->TakeSnapshot();
  const auto it = db->NewIterator();
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 500; ++i) {
      const std::string key = absl::StrFormat("%04d", i);
      EXPECT_OK(i % 2 == 0 ? db->Delete(key) : db->Put(key, absl::StrCat("new", round)));
    }
  }
  EXPECT_OK(db->WaitUntilIdle());
  EXPECT_GT(db->stats().compaction_count, 0);
  for (int i = 0; i < 500; ++i) {
    const std::string key = absl::StrFormat("%04d", i);
    EXPECT_EQ(GetOr(*db, key, "absent", snapshot), "old");
    EXPECT_EQ(GetOr(*db, key, "absent"), i % 2 == 0 ? "absent" : "new4");
  }
  EXPECT_EQ(sstable::test::WalkForward(it.get()).entries.size(), 500);
  EXPECT_EQ(sstable::test::WalkBackward(db->NewIterator(snapshot).get()).entries.size(), 500);
  EXPECT_EQ(sstable::test::WalkBackward(db->NewIterator().get()).entries.size(), 250);
}

TEST(DbTest, CompactionsDropWhatNobodyCanSee) {
  const TempFolder folder;
  const auto db = OpenOrDie(SmallOptions(), folder.File("db"));
  for (int i = 0; i < 20000; ++i) {
    EXPECT_OK(db->Put(absl::StrCat("key", i % 100), std::string(100, 'v')));
  }
  for (int i = 0; i < 100; ++i) EXPECT_OK(db->Delete(absl::StrCat("key", i)));
  for (int i = 0; i < 2000; ++i) EXPECT_OK(db->Put("other", std::string(100, 'v')));
  EXPECT_OK(db->WaitUntilIdle());
  uint64_t size = 0;
  for (const DbStats::Level& level : db->stats().levels) size += level.size;
  EXPECT_LT(size, 20000);  // 2 MB were written
  EXPECT_EQ(sstable::test::WalkForward(db->NewIterator().get()).entries.size(), 1);
}

// The absent prefixes are between existing ones, so only filters can exclude them.
TEST(DbTest, AScanOfAPrefixThatNoTableHasReadsNoBlock) {
  for (const bool has_prefixes : {false, true}) {
    const TempFolder folder;
    Options options = SmallOptions();
    if (has_prefixes) options.prefixes = sstable::PrefixExtractor::ThroughDelimiter(':', 1);
    const auto db = OpenOrDie(options, folder.File("db"));
    for (int i = 0; i < 5000; ++i) {
      const auto key = absl::StrFormat("user%04d:%d", i * 7919 % 1000 * 2, i);
      EXPECT_OK(db->Put(key, std::string(100, 'v')));
    }
    EXPECT_OK(db->WaitUntilIdle());
    const auto count = [&](const std::string& prefix) {
      int entries = 0;
      EXPECT_OK(db->ScanPrefix(prefix, [&](auto, auto) { return ++entries > 0; }));
      return entries;
    };
    const auto blocks_of_absent_prefixes = [&] {
      const auto blocks = [&] {
        const sstable::ReaderStats reads = db->stats().reads;
        return reads.blocks_read + reads.cache_hits;
      };
      const uint64_t before = blocks();
      for (int user = 1; user < 1999; user += 2) {
        EXPECT_EQ(count(absl::StrFormat("user%04d:", user)), 0);
      }
      return blocks() - before;
    };
    // The first scans load the tables, which includes reading the blocks that validate the filters.
    const uint64_t first = blocks_of_absent_prefixes();
    const uint64_t second = blocks_of_absent_prefixes();
    ASSERT_GE(first, second);
    size_t tables = 0;
    for (const DbStats::Level& level : db->stats().levels) tables += level.table_count;
    // About 1 % of the filters let an absent prefix pass, and some scans find no table with the
    // prefix in its range. A filter is validated with about 40 keys, which are in at most eight
    // blocks.
    if (has_prefixes) {
      EXPECT_LT(second, 40);
      EXPECT_LE(first - second, 8 * tables) << tables;
    } else {
      EXPECT_GT(second, 999);
    }
    for (int user = 0; user < 2000; user += 2) {
      EXPECT_EQ(count(absl::StrFormat("user%04d:", user)), 5);
    }
    EXPECT_EQ(count("user"), 5000);  // this prefix is not in the filters
  }
}

TEST(DbTest, CompactAllLeavesOneLevel) {
  const TempFolder folder;
  OpenOrDie(SmallOptions(), folder.File("db"));
  for (int round = 0; round < 3; ++round) {
    const auto db = OpenOrDie(SmallOptions(), folder.File("db"));
    EXPECT_OK(db->CompactAll());
    for (int i = 0; i < 3000; ++i) {
      EXPECT_OK(db->Put(absl::StrCat("key", i * 7919 % 3000), absl::StrCat(round, "value", i)));
    }
    EXPECT_OK(db->CompactAll());
    int level_count = 0;
    for (const DbStats::Level& level : db->stats().levels) level_count += level.table_count > 0;
    EXPECT_EQ(level_count, 1);
    EXPECT_EQ(db->stats().levels[0].table_count, 0);
    EXPECT_EQ(sstable::test::WalkForward(db->NewIterator().get()).entries.size(), 3000);
  }
}

TEST(DbTest, ALevelThatMayHaveNothingPassesItsTablesOn) {
  const TempFolder folder;
  Options options;
  options.level1_size = 0;
  options.write_buffer_size = 1000;
  const auto db = Db::Open(options, folder.File("db")).value();
  for (int i = 0; i < 500; ++i) EXPECT_OK(db->Put(absl::StrCat("key", i), absl::StrCat(i)));
  EXPECT_OK(db->WaitUntilIdle());
  for (int i = 0; i < 500; ++i) {
    std::string value;
    EXPECT_TRUE(db->Get(absl::StrCat("key", i), &value).value());
    EXPECT_EQ(value, absl::StrCat(i));
  }
}

TEST(DbTest, OneFolderIsOpenOnce) {
  const TempFolder folder;
  const auto db = OpenOrDie({}, folder.File("db"));
  EXPECT_THAT(Db::Open({}, folder.File("db")),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("open elsewhere")));
}

TEST(DbTest, AFolderThatIsNoDatabaseIsMadeOneOnlyIfTheOptionsSaySo) {
  const TempFolder folder;
  Options options;
  options.create_if_missing = false;
  EXPECT_FALSE(Db::Open(options, folder.File("db")).ok());
  fs::create_directory(folder.File("db"));
  EXPECT_THAT(Db::Open(options, folder.File("db")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("is no database")));
}

TEST(DbTest, RemovesWhatACrashLeftBehind) {
  const TempFolder folder;
  const std::string path = folder.File("db");
  OpenOrDie({}, path);
  for (const char* name :
       {"000900.ldb", "000001.log", "000902.ldb.tmp-1-1", "CURRENT.tmp-1-2", "mine.txt"}) {
    std::ofstream(path + "/" + name) << "left behind";
  }
  const auto db = OpenOrDie({}, path);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path)) {
    names.push_back(entry.path().filename());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("CURRENT", "LOCK", "000901.log",
                                                   "MANIFEST-000902", "mine.txt"));
}

// A torn record was not acknowledged, but a record damaged in the middle was.
TEST(DbTest, DropsATornRecordAndRefusesADamagedOne) {
  const TempFolder folder;
  const std::string path = folder.File("db");
  {
    const auto db = OpenOrDie({}, path);
    for (const char* key : {"a", "b", "c"}) EXPECT_OK(db->Put(key, "value"));
  }
  const std::string log = FileWith(folder, ".log");
  const uint64_t size = fs::file_size(log);
  for (uint64_t kept = 0; kept <= size; ++kept) {
    const TempFolder copy;
    fs::copy(path, copy.File("db"));
    fs::resize_file(FileWith(copy, ".log"), kept);
    const auto db = OpenOrDie({}, copy.File("db"));
    const uint64_t whole = kept * 3 / size;
    EXPECT_EQ(sstable::test::WalkForward(db->NewIterator().get()).entries.size(), whole) << kept;
    EXPECT_EQ(db->stats().lost_log_size, kept - whole * size / 3);
  }
  for (uint64_t offset = 0; offset < size; ++offset) {
    const TempFolder copy;
    fs::copy(path, copy.File("db"));
    std::fstream stream(FileWith(copy, ".log"), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(offset);
    const char byte = static_cast<char>(stream.get() ^ 1);
    stream.seekp(offset);
    stream.put(byte);
    stream.close();
    const auto db = Db::Open({}, copy.File("db"));
    if (db.ok()) {  // only the last record can be mistaken for a torn one
      EXPECT_GE(offset, size * 2 / 3);
      EXPECT_EQ(GetOr(**db, "b", "absent"), "value");
      EXPECT_EQ(GetOr(**db, "c", "absent"), "absent");
    } else {
      EXPECT_THAT(db.status(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(".log")));
    }
  }
}

// After a power loss, a file may have its size but not its bytes.
TEST(DbTest, TakesZerosAtTheEndOfALogForATornRecord) {
  const TempFolder folder;
  const std::string path = folder.File("db");
  {
    const auto db = OpenOrDie({}, path);
    for (const char* key : {"a", "b", "c", "d"}) EXPECT_OK(db->Put(key, "value"));
  }
  const uint64_t size = fs::file_size(FileWith(folder, ".log"));
  for (uint64_t kept = 0; kept <= size; kept += 3) {
    const TempFolder copy;
    fs::copy(path, copy.File("db"));
    fs::resize_file(FileWith(copy, ".log"), kept);
    fs::resize_file(FileWith(copy, ".log"), size + 5);
    const auto db = OpenOrDie({}, copy.File("db"));
    EXPECT_EQ(sstable::test::WalkForward(db->NewIterator().get()).entries.size(), kept * 4 / size);
  }
}

// A log is synced before the next one is started, so even a power loss can't truncate an older log.
TEST(DbTest, RefusesALogThatFollowsOneThatWasCutShort) {
  const TempFolder folder;
  const std::string path = folder.File("db");
  OpenOrDie(SmallOptions(), path);
  {
    const auto db = OpenOrDie(SmallOptions(), path);
    for (int i = 5; i < 50; ++i) {  // folders with the tables' names prevent flushes
      fs::create_directory(folder.File(absl::StrFormat("db/%06d.ldb", i)));
    }
    for (int i = 0; db->Put(absl::StrCat(i), std::string(100, 'v')).ok();) ++i;
  }
  for (int i = 5; i < 50; ++i) fs::remove(folder.File(absl::StrFormat("db/%06d.ldb", i)));
  std::set<std::string> logs;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() == ".log") logs.insert(entry.path());
  }
  ASSERT_EQ(logs.size(), 2);
  fs::resize_file(*logs.begin(), fs::file_size(*logs.begin()) - 1);
  EXPECT_THAT(Db::Open(SmallOptions(), path),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(*logs.rbegin())));
}

TEST(DbTest, RefusesADatabaseOfWhichFilesAreMissing) {
  const TempFolder folder;
  const std::string path = folder.File("db");
  {
    const auto db = OpenOrDie(SmallOptions(), path);
    for (int i = 0; i < 1000; ++i) EXPECT_OK(db->Put(absl::StrCat(i), std::string(100, 'v')));
    EXPECT_OK(db->WaitUntilIdle());
  }
  for (const char* suffix : {".ldb", "CURRENT"}) {
    const TempFolder copy;
    fs::copy(path, copy.File("db"));
    fs::remove(FileWith(copy, suffix));
    EXPECT_FALSE(Db::Open(SmallOptions(), copy.File("db")).ok()) << suffix;
    // The failed Open() must not have removed any file.
    fs::copy(path, copy.File("db"), fs::copy_options::skip_existing | fs::copy_options::recursive);
    const auto db = OpenOrDie(SmallOptions(), copy.File("db"));
    EXPECT_EQ(sstable::test::WalkForward(db->NewIterator().get()).entries.size(), 1000);
  }
}

// Limits the size of files during its lifetime, like a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t limit) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit low = {limit, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &low);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_;
  void (*old_handler_)(int);
};

TEST(DbTest, AFailedWriteIsReturnedAndStays) {
  const TempFolder folder;
  {
    const auto db = OpenOrDie({}, folder.File("db"));
    EXPECT_OK(db->Put("a", "1"));
    {
      const FullDisk disk(100);
      EXPECT_FALSE(db->Put("b", std::string(200, 'v')).ok());
      EXPECT_FALSE(db->Put("c", "3").ok());
    }
    // There is space again, but the log ends in half a record.
    EXPECT_FALSE(db->Put("c", "3").ok());
    EXPECT_FALSE(db->WaitUntilIdle().ok());
    EXPECT_EQ(GetOr(*db, "a", "absent"), "1");
    EXPECT_EQ(GetOr(*db, "b", "absent"), "absent");
  }
  const auto db = OpenOrDie({}, folder.File("db"));
  EXPECT_EQ(GetOr(*db, "a", "absent"), "1");
  EXPECT_EQ(GetOr(*db, "b", "absent"), "absent");
  EXPECT_OK(db->Put("c", "3"));
}

TEST(DbTest, AnErrorInTheBackgroundIsWhatWritesReturn) {
  const TempFolder folder;
  std::map<std::string, std::string> model;
  {
    const auto db = OpenOrDie(SmallOptions(), folder.File("db"));
    for (int i = 3; i < 50; ++i) {  // folders with the tables' names
      fs::create_directory(folder.File(absl::StrFormat("db/%06d.ldb", i)));
    }
    absl::Status status;
    for (int i = 0; status.ok(); ++i) {
      ASSERT_LT(i, 10000);
      status = db->Put(absl::StrCat(i), std::string(100, 'v'));
      if (status.ok()) model[absl::StrCat(i)] = std::string(100, 'v');
    }
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is a folder")));
    EXPECT_EQ(db->Delete("1"), status);
    EXPECT_EQ(db->WaitUntilIdle(), status);
    EXPECT_EQ(GetOr(*db, "1", "absent"), std::string(100, 'v'));
  }
  const auto db = OpenOrDie(SmallOptions(), folder.File("db"));  // skips taken numbers
  const auto entries = sstable::test::WalkForward(db->NewIterator().get()).entries;
  EXPECT_EQ((std::map<std::string, std::string>(entries.begin(), entries.end())), model);
}

TEST(DbTest, ADamagedTableEndsAScanWithAnError) {
  const TempFolder folder;
  {
    const auto db = OpenOrDie(SmallOptions(), folder.File("db"));
    for (int i = 0; i < 1000; ++i) EXPECT_OK(db->Put(absl::StrCat(i), std::string(100, 'v')));
    EXPECT_OK(db->WaitUntilIdle());
  }
  {
    std::fstream stream(FileWith(folder, ".ldb"), std::ios::in | std::ios::out | std::ios::binary);
    stream.put('\xff').put('\xff').put('\xff');
  }
  const auto db = OpenOrDie(SmallOptions(), folder.File("db"));
  const sstable::test::Walk walk = sstable::test::WalkForward(db->NewIterator().get());
  EXPECT_LT(walk.entries.size(), 1000);
  EXPECT_THAT(walk.status, StatusIs(absl::StatusCode::kDataLoss, HasSubstr(".ldb")));
}

}  // namespace
}  // namespace toy_lsm
