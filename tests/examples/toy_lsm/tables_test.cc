// The tables are LevelDB's: LevelDB and `sst` read what the database wrote.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "examples/toy_lsm/db.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "sstable/internal_key.h"
#include "table/block/key_order.h"
#include "tests/interop/leveldb_table.h"
#include "tests/interop/table_spec.h"
#include "tests/support/run_command.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_walk.h"
#include "tests/support/temp_folder.h"

namespace toy_lsm {
namespace {

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
    db = Db::Open(options, folder_.File("db")).value();  // brings the log into tables
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

TEST_F(TablesTest, LevelDbReadsTheSameEntriesFromThem) {
  sstable::test::TableSpec spec;
  spec.key_kind = sstable::KeyKind::kInternal;
  spec.bits_per_key = 10;
  std::map<std::string, std::pair<uint64_t, std::string>> newest;  // tag and value by user key
  for (const std::string& path : tables_) {
    std::ifstream stream(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(stream), {});
    const sstable::test::LevelDbTable table(spec, bytes);
    ASSERT_TRUE(table.status().ok()) << path << table.status().ToString();
    const auto it = table.NewIterator();
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      const absl::string_view key(it->key().data(), it->key().size());
      auto& [tag, value] = newest[std::string(sstable::ExtractUserKey(key))];
      if (sstable::ExtractTag(key) < tag) continue;
      tag = sstable::ExtractTag(key);
      value = it->value().ToString();
      const std::string target = it->key().ToString();
      it->Seek(target);
      ASSERT_TRUE(it->Valid() && it->key() == target) << path;
    }
    ASSERT_TRUE(it->status().ok()) << path << it->status().ToString();
  }
  Entries entries;
  for (const auto& [key, version] : newest) {
    if (version.first % 256 == 1) entries[key] = version.second;
  }
  EXPECT_EQ(entries, entries_);
}

TEST_F(TablesTest, SstFindsNothingWrongWithThem) {
  std::vector<std::string> command = {"tools/sst", "check"};
  command.insert(command.end(), tables_.begin(), tables_.end());
  const auto result = sstable::test::RunCommand(command);
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, testing::HasSubstr("filter contains every key"));
}

// Else it might take the folder for an empty one, and remove the tables.
TEST_F(TablesTest, LevelDbRefusesTheFolder) {
  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* db = nullptr;
  EXPECT_TRUE(leveldb::DB::Open(options, folder_.File("db"), &db).IsCorruption());
  delete db;
  const auto toy = Db::Open({}, folder_.File("db")).value();
  EXPECT_EQ(sstable::test::WalkForward(toy->NewIterator().get()).entries.size(), entries_.size());
}

}  // namespace
}  // namespace toy_lsm
