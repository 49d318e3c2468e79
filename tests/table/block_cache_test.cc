// Tests the cache alone. Its blocks are strings, which need not be valid blocks.
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "table/block/block.h"
#include "table/cached_blocks.h"
#include "tests/support/model_map.h"
#include "util/bytes.h"

namespace sstable {
namespace {

// Returns a block with these bytes as entries and one restart point.
ByteBuffer BufferOf(absl::string_view entries) {
  ByteBuffer buffer;
  buffer.Append(entries);
  buffer.Append(absl::string_view("\0\0\0\0\1\0\0\0", 8));
  return buffer;
}

absl::string_view EntriesOf(const PinnedBlock& pin) {
  return absl::string_view(pin.block().begin(), pin.block().entries_size());
}

PinnedBlock Insert(const CachedBlocks& blocks, size_t i, absl::string_view entries) {
  ByteBuffer buffer = BufferOf(entries);
  Block block;
  EXPECT_TRUE(Block::TryParse(buffer.view(), &block));
  return blocks.Insert(i, block, &buffer);
}

bool Has(const CachedBlocks& blocks, size_t i) { return blocks.Find(i).has_block(); }

// Returns the charge for a block with `size` bytes of entries, according to the cache.
size_t ChargeOf(size_t size) {
  const auto cache = std::make_shared<BlockCache>(1 << 20);
  const CachedBlocks blocks(cache, 1);
  EXPECT_TRUE(Insert(blocks, 0, std::string(size, 'x')).has_block());
  return cache->usage();
}

TEST(BlockCacheTest, CountsEachByte) {
  const auto cache = std::make_shared<BlockCache>(1 << 20);
  const CachedBlocks blocks(cache, 100);
  EXPECT_EQ(cache->usage(), 0);
  size_t expected = 0;
  for (size_t i = 0; i < 100; ++i) {
    ByteBuffer buffer = BufferOf(std::string(10 * i, 'x'));
    Block block;
    ASSERT_TRUE(Block::TryParse(buffer.view(), &block));
    expected += buffer.capacity() + (ChargeOf(0) - BufferOf("").capacity());
    blocks.Insert(i, block, &buffer);
    EXPECT_EQ(buffer.capacity(), 0) << "the cache has it";
    EXPECT_EQ(cache->usage(), expected);
  }
}

TEST(BlockCacheTest, NeverExceedsItsCapacity) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    test::Random random(seed);
    const auto cache = std::make_shared<BlockCache>(test::Below(20000, &random));
    const CachedBlocks blocks(cache, 200);
    std::vector<PinnedBlock> pins;
    for (int step = 0; step < 2000; ++step) {
      const size_t i = test::Below(200, &random);
      PinnedBlock pin = blocks.Find(i);
      if (!pin.has_block()) pin = Insert(blocks, i, std::string(10 * i, static_cast<char>(i)));
      if (pin.has_block()) {
        ASSERT_EQ(EntriesOf(pin), std::string(10 * i, static_cast<char>(i)));
      }
      if (test::Below(4, &random) == 0) pins.push_back(std::move(pin));
      if (pins.size() > 5) pins.erase(pins.begin() + test::Below(5, &random));
      ASSERT_LE(cache->usage(), cache->capacity());
    }
  }
}

TEST(BlockCacheTest, HoldsAsManyBlocksAsItsCapacitySays) {
  for (size_t count = 1; count < 10; ++count) {
    const auto cache = std::make_shared<BlockCache>(count * ChargeOf(1000));
    const CachedBlocks blocks(cache, 20);
    for (size_t i = 0; i < 20; ++i) Insert(blocks, i, std::string(1000, 'x'));
    EXPECT_EQ(cache->block_count(), count);
    EXPECT_EQ(cache->eviction_count(), 20 - count);
    EXPECT_EQ(cache->usage(), cache->capacity());
  }
}

TEST(BlockCacheTest, HoldsNothingThatIsLargerThanItself) {
  for (const size_t capacity : {size_t{0}, size_t{1}, ChargeOf(1000) - 1}) {
    const auto cache = std::make_shared<BlockCache>(capacity);
    const CachedBlocks blocks(cache, 1);
    ByteBuffer buffer = BufferOf(std::string(1000, 'x'));
    Block block;
    ASSERT_TRUE(Block::TryParse(buffer.view(), &block));
    EXPECT_FALSE(blocks.Insert(0, block, &buffer).has_block());
    EXPECT_EQ(buffer.size(), 1008) << "it stays the caller's";
    EXPECT_FALSE(Has(blocks, 0));
    EXPECT_EQ(cache->usage(), 0);
  }
}

TEST(BlockCacheTest, EvictsNothingForABlockThatCanNotFit) {
  const auto cache = std::make_shared<BlockCache>(2 * ChargeOf(1000));
  const CachedBlocks blocks(cache, 3);
  Insert(blocks, 0, std::string(1000, 'x'));
  Insert(blocks, 1, std::string(1000, 'x'));
  EXPECT_FALSE(Insert(blocks, 2, std::string(3000, 'x')).has_block());
  EXPECT_TRUE(Has(blocks, 0));
  EXPECT_TRUE(Has(blocks, 1));
}

TEST(BlockCacheTest, KeepsBlocksThatArePinned) {
  const auto cache = std::make_shared<BlockCache>(3 * ChargeOf(100));
  const CachedBlocks blocks(cache, 20);
  std::vector<PinnedBlock> pins;
  for (size_t i = 0; i < 3; ++i) pins.push_back(Insert(blocks, i, std::string(100, 'a' + i)));
  EXPECT_FALSE(Insert(blocks, 3, std::string(100, 'd')).has_block()) << "all are pinned";

  pins[1].Release();
  for (size_t i = 4; i < 20; ++i) {
    EXPECT_TRUE(Insert(blocks, i, std::string(100, 'x')).has_block());
  }
  EXPECT_EQ(EntriesOf(pins[0]), std::string(100, 'a'));
  EXPECT_EQ(EntriesOf(pins[2]), std::string(100, 'c'));
  EXPECT_TRUE(Has(blocks, 0));
  EXPECT_FALSE(Has(blocks, 1));
  EXPECT_EQ(cache->block_count(), 3);
}

TEST(BlockCacheTest, APinThatIsMovedPinsOnce) {
  const auto cache = std::make_shared<BlockCache>(ChargeOf(100));
  const CachedBlocks blocks(cache, 2);
  PinnedBlock a = Insert(blocks, 0, std::string(100, 'a'));
  PinnedBlock b = std::move(a);
  EXPECT_FALSE(a.has_block());
  EXPECT_FALSE(Insert(blocks, 1, std::string(100, 'b')).has_block());
  b = PinnedBlock();
  EXPECT_TRUE(Insert(blocks, 1, std::string(100, 'b')).has_block());
  EXPECT_FALSE(Has(blocks, 0));
}

TEST(BlockCacheTest, BlocksUsedAgainOutliveAScan) {
  const auto cache = std::make_shared<BlockCache>(20 * ChargeOf(100));
  const CachedBlocks blocks(cache, 1000);
  for (size_t i = 0; i < 20; ++i) Insert(blocks, i, std::string(100, 'x'));
  for (size_t i = 20; i < 1000; ++i) {
    for (size_t hot = 0; hot < 10; ++hot) EXPECT_TRUE(Has(blocks, hot)) << hot << " before " << i;
    Insert(blocks, i, std::string(100, 'x'));
  }
}

TEST(BlockCacheTest, AFullOneAdmitsWhatIsReadAgainSoon) {
  constexpr size_t kFits = 20;
  const auto cache = std::make_shared<BlockCache>(kFits * ChargeOf(100));
  const CachedBlocks blocks(cache, 1000);
  const auto admits = [&](size_t i) { return blocks.Admits(i, 100); };
  std::optional<CachedBlocks> other;
  other.emplace(cache, 1);
  Insert(*other, 0, std::string(100, 'x'));
  for (size_t i = 1; i < kFits; ++i) {
    EXPECT_TRUE(admits(i)) << i << ": there is room";
    Insert(blocks, i, std::string(100, 'x'));
  }
  for (size_t i = 100; i < 100 + kFits; ++i) EXPECT_FALSE(admits(i)) << i;
  EXPECT_TRUE(admits(100)) << "read again after as many others as it has";
  for (size_t i = 200; i < 202; ++i) EXPECT_FALSE(admits(i)) << i;
  EXPECT_FALSE(admits(102)) << "read again too late";
  EXPECT_TRUE(admits(102));
  EXPECT_EQ(cache->eviction_count(), 0);
  Insert(blocks, 102, std::string(100, 'x'));
  EXPECT_EQ(cache->eviction_count(), 1);
  EXPECT_TRUE(admits(102)) << "another thread has inserted it";

  other.emplace(cache, 1);
  Insert(*other, 0, std::string(100, 'x'));
  EXPECT_FALSE(admits(300));
  other.reset();
  EXPECT_TRUE(admits(300)) << "a table has gone, so there is room";
}

TEST(BlockCacheTest, OneThatEvictedALargeBlockAdmitsWhatFits) {
  const size_t capacity = 20 * ChargeOf(100);
  const auto cache = std::make_shared<BlockCache>(capacity);
  const CachedBlocks blocks(cache, 100);
  for (size_t i = 0; i < 20; ++i) Insert(blocks, i, std::string(100, 'x'));
  Insert(blocks, 20, std::string(1000, 'x'));
  EXPECT_FALSE(blocks.Admits(99, 100));
  size_t i = 21;
  while (i < 99 && cache->usage() + 500 > capacity) Insert(blocks, i++, std::string(100, 'x'));
  ASSERT_LT(i, 99) << "the large one stays";
  EXPECT_TRUE(blocks.Admits(i, 100));
}

TEST(BlockCacheTest, TheFirstOfTwoInsertionsStays) {
  const auto cache = std::make_shared<BlockCache>(1 << 20);
  const CachedBlocks blocks(cache, 1);
  const PinnedBlock first = Insert(blocks, 0, "first");
  const size_t usage = cache->usage();
  ByteBuffer buffer = BufferOf("second");
  Block block;
  ASSERT_TRUE(Block::TryParse(buffer.view(), &block));
  const PinnedBlock second = blocks.Insert(0, block, &buffer);
  EXPECT_EQ(EntriesOf(second), "first");
  EXPECT_EQ(buffer.size(), 14) << "it stays the caller's";
  EXPECT_EQ(cache->usage(), usage);
  EXPECT_EQ(cache->block_count(), 1);
}

TEST(BlockCacheTest, ATableThatGoesGivesItsBlocksBack) {
  const auto cache = std::make_shared<BlockCache>(10 * ChargeOf(100));
  const CachedBlocks stays(cache, 3);
  Insert(stays, 0, "0");
  std::optional<CachedBlocks> goes;
  goes.emplace(cache, 5);
  for (size_t i = 0; i < 5; ++i) Insert(*goes, i, std::string(100, 'x'));
  Insert(stays, 1, "1");
  EXPECT_EQ(cache->block_count(), 7);
  goes.reset();
  EXPECT_EQ(cache->block_count(), 2);
  EXPECT_EQ(cache->eviction_count(), 0);
  EXPECT_EQ(EntriesOf(stays.Find(0)), "0");
  EXPECT_EQ(EntriesOf(stays.Find(1)), "1");

  const CachedBlocks next(cache, 100);  // reuses the slots
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_FALSE(Has(next, i));
    Insert(next, i, std::string(100, 'y'));
  }
  EXPECT_LE(cache->usage(), 7 * ChargeOf(100));
}

TEST(BlockCacheTest, ALargeOneHasShardsThatFillAlike) {
  constexpr size_t kCapacity = size_t{64} << 20;
  const auto cache = std::make_shared<BlockCache>(kCapacity);
  const CachedBlocks blocks(cache, 20000);
  const std::string entries(4000, 'x');
  for (size_t i = 0; i < 20000; ++i) Insert(blocks, i, entries);
  EXPECT_LE(cache->usage(), kCapacity);
  EXPECT_GE(cache->usage(), kCapacity - 16 * ChargeOf(4000));
}

// Threads insert, find and release concurrently. Each block's contents show which table it is from.
TEST(BlockCacheTest, ThreadsThatShareASmallCacheSeeTheirOwnBlocks) {
  const auto cache = std::make_shared<BlockCache>(6 * ChargeOf(40));
  const CachedBlocks shared(cache, 16);
  const auto entries_of = [](char who, size_t i) { return std::string(1 + 2 * i, who); };
  std::atomic<uint64_t> wrong{0}, found{0}, uncached{0};
  const auto use = [&](const CachedBlocks& blocks, char who, size_t i) {
    PinnedBlock pin = blocks.Find(i);
    found += pin.has_block();
    if (!pin.has_block()) pin = Insert(blocks, i, entries_of(who, i));
    if (!pin.has_block()) {
      ++uncached;
      return;
    }
    wrong += EntriesOf(pin) != entries_of(who, i);
  };
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < 6; ++thread) {
    threads.emplace_back([&, thread] {
      test::Random random(thread);
      for (int round = 0; round < 60; ++round) {
        const CachedBlocks own(cache, 8);  // tables with changing ids and slots
        for (int step = 0; step < 60; ++step) {
          use(own, static_cast<char>('a' + thread), test::Below(8, &random));
          use(shared, 'S', test::Below(16, &random));
          if (cache->usage() > cache->capacity()) ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(found, 0);
  EXPECT_LE(cache->block_count(), 16);
}

}  // namespace
}  // namespace sstable
