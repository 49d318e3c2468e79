// Threads share one reader. Run with --config=tsan to detect races.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tests/support/fake_files.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_walk.h"

namespace sstable::test {
namespace {

// Runs `work(i)` in threads that start as simultaneously as possible.
void RunTogether(int thread_count, const std::function<void(int)>& work) {
  std::atomic<int> waiting{thread_count};
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) {
    threads.emplace_back([&waiting, &work, i] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

struct ConcurrencyCase {
  const char* name;
  Compression compression;
  KeyKind kind;
  bool in_memory;
  VerifyChecksums verify;
};
class ConcurrencyTest : public testing::TestWithParam<ConcurrencyCase> {
 protected:
  void SetUp() override {
    TableBuilderOptions options;
    options.compression = GetParam().compression;
    options.key_kind = GetParam().kind;
    options.filter_policy = policy_.get();
    options.block_size = 256;
    for (int i = 0; i < 400; ++i) {
      user_keys_.push_back(absl::StrCat("key", 10000 + i));
      entries_.emplace_back(GetParam().kind == KeyKind::kPlain
                                ? user_keys_.back()
                                : MakeInternalKey(user_keys_.back(), 5, ValueType::kValue),
                            absl::StrCat("value", i));
    }
    bytes_ = BuildTable(options, entries_).value();
  }

  std::unique_ptr<TableReader> Open() const {
    TableReaderOptions options;
    options.key_kind = GetParam().kind;
    options.verify_checksums = GetParam().verify;
    std::unique_ptr<RandomAccessFile> file = std::make_unique<FakeFile>(bytes_);
    if (GetParam().in_memory) file = NewMemoryFile(bytes_);
    return TableReader::Open(std::move(file), options).value();
  }

  // Looks up every key, and an absent key for each. Each thread starts with a different key.
  int CountRightLookups(const TableReader& table, int thread) const {
    int right = 0;
    std::string value;
    for (size_t i = 0; i < user_keys_.size(); ++i) {
      const size_t at = (i + 97 * thread) % user_keys_.size();
      right += table.Get(user_keys_[at], &value).value() == Presence::kFound &&
               value == entries_[at].second;
      right += table.Get(user_keys_[at] + "x", &value).value() == Presence::kAbsent;
    }
    return right;
  }

  const std::unique_ptr<const FilterPolicy> policy_ = NewBloomFilterPolicy(10);
  std::vector<std::string> user_keys_;
  Entries entries_;
  std::string bytes_;
};

TEST_P(ConcurrencyTest, FourThreadsLookUpAndWalkAFreshReader) {
  for (int round = 0; round < 10; ++round) {
    const auto table = Open();
    std::atomic<int> right{0}, walks{0};
    RunTogether(4, [&](int thread) {
      if (thread % 2 == 1) {
        walks += WalkForward(table->NewIterator().get()).entries == entries_;
      }
      right += CountRightLookups(*table, thread);
      walks += WalkBackward(table->NewIterator().get()).entries == entries_;
    });
    EXPECT_EQ(right, 4 * 2 * 400);
    EXPECT_EQ(walks, 6);
    EXPECT_EQ(table->stats().lookups, 4 * 2 * 400);
    EXPECT_EQ(table->stats().filter_positives - table->stats().false_positives, 4 * 400);
  }
}

TEST_P(ConcurrencyTest, EveryFirstCallLoadsTheIndexOnce) {
  for (int round = 0; round < 30; ++round) {
    const auto table = Open();
    std::atomic<const TableIndex*> indexes[6] = {};
    std::atomic<int> right{0};
    RunTogether(6, [&](int thread) {
      switch (thread) {
        case 0:
          right += table->LoadIndex().ok();
          break;
        case 1:
          right += table->LoadFilter().ok();
          break;
        case 2:
          right += table->LoadFilter().ok() && table->filter() != nullptr;
          break;
        case 3:
          right += table->Get(user_keys_[7]).value() == "value7";
          break;
        case 4:
          right += table->ApproximateOffsetOf(entries_[399].first).ok();
          break;
        default: {
          const auto it = table->NewIterator();
          it->SeekToFirst();
          right += it->Valid();
        }
      }
      indexes[thread] = IndexOf(*table);
    });
    EXPECT_EQ(right, 6);
    for (const auto& index : indexes) EXPECT_EQ(index, IndexOf(*table));
  }
}

TEST_P(ConcurrencyTest, MoreThreadsThanCountersStillCountRight) {
  const auto table = Open();
  std::atomic<int> right{0};
  // In the second round, threads reuse the counters of threads that have ended.
  for (int round = 0; round < 2; ++round) {
    RunTogether(20, [&](int thread) { right += CountRightLookups(*table, thread); });
  }
  EXPECT_EQ(right, 2 * 20 * 2 * 400);
  EXPECT_EQ(table->stats().lookups, 2 * 20 * 2 * 400);
}

TEST_P(ConcurrencyTest, ADamagedBlockIsDamagedForEveryThread) {
  const BlockHandle bad = IndexOf(*Open())->record(5).handle();
  bytes_[bad.offset] = static_cast<char>(bytes_[bad.offset] ^ 1);
  const auto table = Open();
  // Finds a user key in the damaged block.
  size_t i = 0, block = 0;
  for (; block != 5; ++i) {
    const LookupKey next = KeyOrderOf(*table).Split(entries_[i + 1].first);
    ASSERT_OK(IndexOf(*table)->Find(next, &block));
  }
  const std::string key = user_keys_[i];
  std::atomic<int> errors{0};
  RunTogether(4, [&](int) {
    for (int n = 0; n < 50; ++n) {
      errors += table->Get(key).status().code() == absl::StatusCode::kDataLoss;
    }
  });
  EXPECT_EQ(errors, 4 * 50);
}

INSTANTIATE_TEST_SUITE_P(
    Readers, ConcurrencyTest,
    testing::ValuesIn<ConcurrencyCase>({
        {"RawInMemory", Compression::kNone, KeyKind::kPlain, true, VerifyChecksums::kFirstTouch},
        {"RawRead", Compression::kNone, KeyKind::kPlain, false, VerifyChecksums::kFirstTouch},
        {"SnappyInternal", Compression::kSnappy, KeyKind::kInternal, true,
         VerifyChecksums::kFirstTouch},
        {"ZstdAlways", Compression::kZstd, KeyKind::kPlain, true, VerifyChecksums::kAlways},
    }),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable::test
