// The file formats are LevelDB's: LevelDB and `sst` must read this database's files, and vice
// versa.
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "examples/toy_lsm/db.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "sstable/internal_key.h"
#include "tests/interop/leveldb_order.h"
#include "tests/interop/leveldb_table.h"
#include "tests/interop/table_spec.h"
#include "tests/support/run_command.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_walk.h"
#include "tests/support/temp_folder.h"

namespace toy_lsm {
namespace {

using ::sstable::test::StatusIs;
using Entries = std::map<std::string, std::string>;

class TablesTest : public testing::Test {
 protected:
  TablesTest() {
    Options options;
    options.write_buffer_size = 64 << 10;
    options.max_table_size = 4 << 10;
    options.level1_size = 16 << 10;
    auto db = Db::Open(options, folder_.File("db")).value();
    for (int i = 0; i < 10000; ++i) {
      const std::string key = absl::StrCat("key", i * 7919 % 3000);
      EXPECT_OK(i % 5 == 0 ? db->Delete(key) : db->Put(key, absl::StrCat(i, key)));
    }
    db.reset();
    db = Db::Open(options, folder_.File("db")).value();  // writes the log to tables
    const auto walk = sstable::test::WalkForward(db->NewIterator().get());
    EXPECT_OK(walk.status);
    entries_ = Entries(walk.entries.begin(), walk.entries.end());
    EXPECT_GT(entries_.size(), 1000);
    db.reset();
    for (const auto& entry : std::filesystem::directory_iterator(folder_.File("db"))) {
      if (entry.path().extension() == ".ldb") tables_.push_back(entry.path());
    }
    EXPECT_GT(tables_.size(), 5);
  }

  const sstable::test::TempFolder folder_;
  Entries entries_;
  std::vector<std::string> tables_;
};

Entries ScanWithLevelDb(leveldb::DB* db) {
  Entries entries;
  leveldb::ReadOptions options;
  options.verify_checksums = true;
  const std::unique_ptr<leveldb::Iterator> it(db->NewIterator(options));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    entries[it->key().ToString()] = it->value().ToString();
  }
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  return entries;
}

Entries Scan(const Db& db) {
  const auto walk = sstable::test::WalkForward(db.NewIterator().get());
  EXPECT_OK(walk.status);
  return Entries(walk.entries.begin(), walk.entries.end());
}

// Both write to the same database in turn, several times, and each must read all of it.
TEST_F(TablesTest, LevelDbAndTheDatabaseTakeTurns) {
  leveldb::Options leveldb_options;
  leveldb_options.paranoid_checks = true;
  leveldb_options.write_buffer_size = 64 << 10;
  Options options;
  options.write_buffer_size = 64 << 10;
  options.max_table_size = 4 << 10;
  options.level1_size = 16 << 10;
  const std::string path = folder_.File("db");
  for (int round = 0; round < 6; ++round) {
    leveldb::DB* opened = nullptr;
    const leveldb::Status status = leveldb::DB::Open(leveldb_options, path, &opened);
    ASSERT_TRUE(status.ok()) << status.ToString();
    std::unique_ptr<leveldb::DB> leveldb(opened);
    ASSERT_EQ(ScanWithLevelDb(leveldb.get()), entries_);
    EXPECT_THAT(Db::Open(options, path),
                StatusIs(absl::StatusCode::kUnavailable, testing::HasSubstr("open elsewhere")));
    for (int i = 0; i < 3000; ++i) {
      const std::string key = absl::StrCat("key", (i * 7919 + round) % 4000);
      const std::string value = absl::StrCat("leveldb", round, key);
      if (i % 7 == 0) {
        EXPECT_TRUE(leveldb->Delete({}, key).ok());
        entries_.erase(key);
      } else {
        EXPECT_TRUE(leveldb->Put({}, key, value).ok());
        entries_[key] = value;
      }
    }
    if (round == 3) leveldb->CompactRange(nullptr, nullptr);
    leveldb.reset();

    const auto db = Db::Open(options, path);
    ASSERT_OK(db);
    ASSERT_EQ(Scan(**db), entries_);
    EXPECT_FALSE(leveldb::DB::Open(leveldb_options, path, &opened).ok());  // since it is locked
    for (int i = 0; i < 3000; ++i) {
      const std::string key = absl::StrCat("key", (i * 6007 + round) % 4000);
      const std::string value = absl::StrCat("toy", round, key);
      EXPECT_OK(i % 7 == 0 ? (*db)->Delete(key) : (*db)->Put(key, value));
      i % 7 == 0 ? static_cast<void>(entries_.erase(key))
                 : static_cast<void>(entries_[key] = value);
    }
    if (round == 4) {
      EXPECT_OK((*db)->CompactAll());
    }
  }
}

TEST_F(TablesTest, RefusesAnotherOrder) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.comparator = sstable::test::LevelDbOrder(sstable::KeyKind::kPlain, /*reverse=*/true);
  leveldb::DB* opened = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(options, folder_.File("reverse"), &opened).ok());
  delete opened;
  EXPECT_THAT(Db::Open({}, folder_.File("reverse")),
              StatusIs(absl::StatusCode::kUnimplemented, testing::HasSubstr("another order")));
}

}  // namespace
}  // namespace toy_lsm
