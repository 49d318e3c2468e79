// Readers run concurrently with a writer, flushes and compactions. Run with --config=tsan to detect
// races.
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "examples/toy_lsm/db.h"
#include "examples/toy_lsm/memtable.h"
#include "gtest/gtest.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/table_reader.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace toy_lsm {
namespace {

constexpr int kKeyCount = 100;

std::string Key(int i) { return absl::StrCat("key", 1000 + i); }

// Each batch writes its number to every key, so all values that are read at one time must be equal.
class ConcurrencyTest : public testing::Test {
 protected:
  ConcurrencyTest() {
    Options options;
    options.write_buffer_size = 64 << 10;
    options.max_table_size = 8 << 10;
    options.level1_size = 16 << 10;
    options.block_size = 512;
    db_ = Db::Open(options, folder_.File("db")).value();
    Write(0);
  }

  void Write(int number) {
    WriteBatch batch;
    for (int i = 0; i < kKeyCount; ++i) batch.Put(Key(i), absl::StrCat(number));
    EXPECT_OK(db_->Write(batch));
  }

  // Runs threads that repeat `work` while batches are being written.
  void RunBeside(const std::vector<std::function<void()>>& work) {
    std::atomic<bool> is_done{false};
    std::vector<std::thread> threads;
    for (const auto& step : work) {
      threads.emplace_back([&is_done, &step] {
        do {
          step();
        } while (!is_done);
      });
    }
    for (int number = 1; number <= 400; ++number) Write(number);
    EXPECT_OK(db_->WaitUntilIdle());
    is_done = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_GT(db_->stats().compaction_count, 2);
  }

  const sstable::test::TempFolder folder_;
  std::unique_ptr<Db> db_;
};

TEST_F(ConcurrencyTest, GetsNeverGoBack) {
  std::atomic<int> gets{0};
  const auto get = [this, &gets] {
    int last = 0;
    std::string value;
    for (int i = 0; i < kKeyCount; ++i, ++gets) {
      ASSERT_TRUE(db_->Get(Key(i), &value).value());
      ASSERT_GE(std::stoi(value), last);
      last = std::stoi(value);
      ASSERT_FALSE(db_->Get(Key(i) + "x", &value).value());
    }
  };
  RunBeside({get, get, [this] { db_->stats(); }});
  EXPECT_GT(gets, 0);
}

TEST_F(ConcurrencyTest, IteratorsAndSnapshotsSeeOneMoment) {
  const auto walk = [this] {
    const auto snapshot = db_->TakeSnapshot();
    std::string expected, value;
    ASSERT_TRUE(db_->Get(Key(0), &expected, snapshot).value());
    const auto it = db_->NewIterator(snapshot);
    int count = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++count) ASSERT_EQ(it->value(), expected);
    ASSERT_OK(it->status());
    ASSERT_EQ(count, kKeyCount);
    ASSERT_TRUE(db_->Get(Key(kKeyCount - 1), &value, snapshot).value());
    ASSERT_EQ(value, expected);
  };
  const auto walk_back = [this] {
    const auto it = db_->NewIterator();
    it->SeekToLast();
    const std::string expected(it->value());
    int count = 0;
    for (; it->Valid(); it->Prev(), ++count) ASSERT_EQ(it->value(), expected);
    ASSERT_EQ(count, kKeyCount);
  };
  RunBeside({walk, walk, walk_back});
}

TEST_F(ConcurrencyTest, WritersTakeTurns) {
  const auto write = [this] {
    WriteBatch batch;
    batch.Put("other", "value");
    batch.Delete("another");
    ASSERT_OK(db_->Write(batch));
  };
  RunBeside({write, write});
  std::string value;
  EXPECT_TRUE(db_->Get("other", &value).value());
}

// A search must load an entry's successor only once: another entry may be inserted in between.
TEST(MemTableTest, FindsAKeyWhileOthersAreAddedInFrontOfIt) {
  MemTable table;
  const auto add = [&table](uint64_t sequence, absl::string_view key, absl::string_view value) {
    WriteBatch batch;
    batch.Put(key, value).set_sequence(sequence);
    ASSERT_OK(table.Add(batch.bytes()));
  };
  add(1, "m", "value");
  std::atomic<bool> is_done{false};
  std::thread reader([&table, &is_done] {
    const auto it = table.NewIterator();
    while (!is_done) {
      std::string value;
      ASSERT_EQ(table.Find("m", 1, &value), sstable::Presence::kFound);
      it->Seek(sstable::MakeInternalKey("m", 1, sstable::ValueType::kValue));
      ASSERT_EQ(sstable::ExtractUserKey(it->key()), "m");
    }
  });
  for (int i = 0; i < 200000; ++i) {
    add(static_cast<uint64_t>(i) + 2, absl::StrCat("k", 1000000 + i), "");
  }
  is_done = true;
  reader.join();
}

}  // namespace
}  // namespace toy_lsm
