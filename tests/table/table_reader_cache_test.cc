// Readers with a block cache return the same results as those without one, and read less.
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tests/support/allocations.h"
#include "tests/support/fake_files.h"
#include "tests/support/model_map.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_walk.h"

namespace sstable::test {
namespace {

constexpr int kEntryCount = 400;

// Returns about 70 entries for each of 6 blocks. A different `salt` gives the same keys other
// values.
Entries SomeEntries(absl::string_view salt = "") {
  Entries entries;
  for (int i = 0; i < kEntryCount; ++i) {
    entries.emplace_back(absl::StrCat("key", 10000 + 2 * i), absl::StrCat("value", i % 7, salt));
  }
  return entries;
}

std::string TableOf(const Entries& entries, Compression compression) {
  TableBuilderOptions options;
  options.compression = compression;
  options.block_size = 1000;
  return BuildTable(options, entries).value();
}

// `bytes` must outlive the reader.
std::unique_ptr<TableReader> Open(const std::string& bytes, std::shared_ptr<BlockCache> cache,
                                  bool in_memory = true,
                                  VerifyChecksums verify = VerifyChecksums::kFirstTouch) {
  TableReaderOptions options;
  options.block_cache = std::move(cache);
  options.verify_checksums = verify;
  std::unique_ptr<RandomAccessFile> file = std::make_unique<FakeFile>(bytes);
  if (in_memory) file = NewMemoryFile(bytes);
  return TableReader::Open(std::move(file), options).value();
}

class CachedTableTest : public testing::Test {
 protected:
  const Entries entries_ = SomeEntries();
  const std::string bytes_ = TableOf(entries_, Compression::kSnappy);
  const std::shared_ptr<BlockCache> cache_ = std::make_shared<BlockCache>(1 << 20);
};

TEST_F(CachedTableTest, ReadsEachBlockOnce) {
  const auto table = Open(bytes_, cache_);
  const size_t block_count = IndexOf(*table)->size();
  std::string value;
  for (int round = 0; round < 3; ++round) {
    for (const auto& entry : entries_) ASSERT_OK(table->Get(entry.first, &value));
  }
  const ReaderStats stats = table->stats();
  EXPECT_EQ(stats.blocks_read, block_count);
  EXPECT_EQ(stats.cache_misses, block_count);
  EXPECT_EQ(stats.cache_hits, 3 * kEntryCount - block_count);
  EXPECT_EQ(cache_->block_count(), block_count);
}

TEST_F(CachedTableTest, RawBlocksInMemoryAreNotCopied) {
  const std::string raw = TableOf(entries_, Compression::kNone);
  EXPECT_EQ(WalkForward(Open(raw, cache_)->NewIterator().get()).entries, entries_);
  EXPECT_EQ(cache_->usage(), 0);
}

TEST_F(CachedTableTest, CountsNeitherHitsNorMissesWithoutACache) {
  const auto table = Open(bytes_, nullptr);
  EXPECT_EQ(WalkForward(table->NewIterator().get()).entries, entries_);
  EXPECT_EQ(table->stats().cache_hits, 0);
  EXPECT_EQ(table->stats().cache_misses, 0);
}

TEST_F(CachedTableTest, CountsWhatMultiGetFinds) {
  const auto table = Open(bytes_, cache_);
  const size_t block_count = IndexOf(*table)->size();
  std::vector<std::string> values(kEntryCount);
  std::vector<LookupRequest> requests(kEntryCount);
  for (uint64_t round = 1; round <= 2; ++round) {
    for (size_t i = 0; i < requests.size(); ++i) requests[i] = {entries_[i].first, &values[i]};
    table->MultiGet(absl::MakeSpan(requests));
    EXPECT_EQ(table->stats().lookups, round * kEntryCount);
    EXPECT_EQ(table->stats().cache_misses, block_count);
    EXPECT_EQ(table->stats().cache_hits, round * kEntryCount - block_count);
  }
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], entries_[i].second);
}

TEST_F(CachedTableTest, AHitTakesNoMemory) {
  const auto table = Open(bytes_, cache_);
  std::string value(100, 'x');
  ASSERT_OK(table->Get(entries_[7].first, &value));
  const AllocationCounter allocations;
  EXPECT_EQ(table->Get(entries_[7].first, &value).value(), Presence::kFound);
  EXPECT_EQ(table->Get(entries_[8].first, &value).value(), Presence::kFound);
  EXPECT_EQ(allocations.count(), 0);
}

TEST_F(CachedTableTest, AScanThatFillsNothingUsesWhatIsThere) {
  const auto table = Open(bytes_, cache_);
  const size_t block_count = IndexOf(*table)->size();
  EXPECT_EQ(WalkForward(table->NewIterator(ReadOptions::ForScan()).get()).entries, entries_);
  EXPECT_EQ(cache_->usage(), 0);
  EXPECT_EQ(table->stats().cache_misses, block_count);

  EXPECT_OK(table->Get(entries_[0].first));
  EXPECT_EQ(cache_->block_count(), 1);
  EXPECT_EQ(WalkForward(table->NewIterator(ReadOptions::ForScan()).get()).entries, entries_);
  EXPECT_EQ(cache_->block_count(), 1);
  EXPECT_EQ(table->stats().cache_hits, 1);
}

TEST_F(CachedTableTest, AnIteratorKeepsItsBlockWhileOthersPushItOut) {
  const auto cache = std::make_shared<BlockCache>(1500);  // room for one block
  const auto table = Open(bytes_, cache), other = Open(bytes_, cache);
  const auto it = table->NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const std::string key(it->key()), value(it->value());
    ASSERT_EQ(WalkForward(other->NewIterator().get()).entries.size(), entries_.size());
    ASSERT_EQ(it->key(), key);
    ASSERT_EQ(it->value(), value);
  }
  EXPECT_OK(it->status());
}

TEST_F(CachedTableTest, AnIteratorPastTheEndPinsNothing) {
  const auto cache = std::make_shared<BlockCache>(1500);  // room for one block
  const auto table = Open(bytes_, cache), other = Open(bytes_, cache);
  const auto it = table->NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) continue;
  for (int i = 0; i < 3; ++i) EXPECT_OK(other->Get(entries_[0].first));
  EXPECT_EQ(other->stats().cache_hits, 1) << "a full cache takes it when it is read again";
}

TEST_F(CachedTableTest, AReaderThatLoadedNothingMayGo) {
  Open(bytes_, cache_).reset();
  EXPECT_EQ(cache_->usage(), 0);
}

TEST_F(CachedTableTest, ABlockThatIsDamagedIsNotKept) {
  std::string damaged = bytes_;
  const auto sound = Open(bytes_, nullptr);
  damaged[IndexOf(*sound)->record(1).block_offset + 20] ^= 1;
  const auto table = Open(damaged, cache_);
  for (int round = 0; round < 2; ++round) {
    const Walk walk = WalkForward(table->NewIterator().get());
    EXPECT_EQ(walk.status.code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(cache_->block_count(), 1);
  }
  EXPECT_EQ(table->stats().cache_misses, 1);
}

TEST_F(CachedTableTest, VerifyingAlwaysIsVerifyingEachRead) {
  std::string bytes = bytes_;
  const auto table = Open(bytes, cache_, /*in_memory=*/true, VerifyChecksums::kAlways);
  EXPECT_OK(table->Get(entries_[0].first));
  bytes[IndexOf(*table)->record(0).block_offset + 20] ^= 1;
  bytes[IndexOf(*table)->record(1).block_offset + 20] ^= 1;
  EXPECT_EQ(table->Get(entries_[0].first).value(), entries_[0].second) << "found, not read";
  const auto it = table->NewIterator();
  it->SeekToBlock(1);
  EXPECT_EQ(it->status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(CachedTableTest, TheBufferOfACodecWithoutASizeIsCutToTheBlock) {
  const std::string bytes = TableOf(entries_, Compression::kZstd);
  const auto zstd = Open(bytes, cache_);
  EXPECT_EQ(WalkForward(zstd->NewIterator().get()).entries, entries_);
  EXPECT_LT(cache_->usage(), IndexOf(*zstd)->size() * 1500) << "of about 1000 bytes each";
}

// Readers open, look up, scan and close concurrently. They share one cache that can't hold all
// their blocks.
TEST(TableReaderCacheThreadsTest, ThatShareASmallCacheReadRightly) {
  const Entries a_entries = SomeEntries("a"), b_entries = SomeEntries("b");
  const std::string a_bytes = TableOf(a_entries, Compression::kSnappy);
  const std::string b_bytes = TableOf(b_entries, Compression::kNone);
  const auto cache = std::make_shared<BlockCache>(7000);
  const auto a = Open(a_bytes, cache);
  const auto b = Open(b_bytes, cache, /*in_memory=*/false);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < 6; ++thread) {
    threads.emplace_back([&, thread] {
      Random random(thread);
      std::string value;
      for (int round = 0; round < 10; ++round) {
        const auto own = Open(thread % 2 == 0 ? a_bytes : b_bytes, cache, /*in_memory=*/false);
        const auto it = own->NewIterator();
        it->SeekToFirst();
        for (int step = 0; step < 50; ++step) {
          const size_t i = Below(kEntryCount, &random);
          const Presence in_a = a->Get(a_entries[i].first, &value).value();
          wrong += in_a != Presence::kFound || value != a_entries[i].second;
          const Presence in_b = b->Get(b_entries[i].first, &value).value();
          wrong += in_b != Presence::kFound || value != b_entries[i].second;
          LookupRequest request = {a_entries[i].first, &value};
          a->MultiGet(absl::MakeSpan(&request, 1));
          wrong += value != a_entries[i].second;
          wrong += !it->Valid();
          for (int n = 0; n < 5 && it->Valid(); ++n) it->Next();
          wrong += cache->usage() > cache->capacity();
        }
        const Entries& expected = thread % 2 == 0 ? a_entries : b_entries;
        wrong += WalkBackward(own->NewIterator().get()).entries != expected;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(cache->block_count(), IndexOf(*a)->size() + IndexOf(*b)->size());
}

}  // namespace
}  // namespace sstable::test
