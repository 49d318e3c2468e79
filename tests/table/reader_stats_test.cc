// Counters are summed over all threads. scripts/counts.txt tests what is counted.
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "table/reader_stats_counter.h"

namespace sstable {
namespace {

TEST(ReaderStatsCounterTest, SumsWhatEveryThreadAdded) {
  ReaderStatsCounter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {  // more threads than sets of counters
    threads.emplace_back([&counter] {
      ReaderStatsCounter::Shard& shard = counter.ForThisThread();
      for (int n = 0; n < 1000; ++n) {
        shard.Add(ReaderStatsCounter::kFilterNegatives);
        shard.Add(ReaderStatsCounter::kFilterPositives, 2);
        shard.Add(ReaderStatsCounter::kUnfilteredLookups, 3);
        shard.Add(ReaderStatsCounter::kFalsePositives, 4);
        shard.Add(ReaderStatsCounter::kBlocksRead, 5);
        shard.Add(ReaderStatsCounter::kBytesRead, 600);
        shard.Add(ReaderStatsCounter::kCacheHits, 7);
        shard.Add(ReaderStatsCounter::kCacheMisses, 8);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const ReaderStats sum = counter.Sum();
  EXPECT_EQ(sum.lookups, 120000) << "by what the filter said: no, yes, or nothing";
  EXPECT_EQ(sum.filter_negatives, 20000);
  EXPECT_EQ(sum.filter_positives, 40000);
  EXPECT_EQ(sum.false_positives, 80000);
  EXPECT_EQ(sum.blocks_read, 100000);
  EXPECT_EQ(sum.bytes_read, 12000000);
  EXPECT_EQ(sum.cache_hits, 140000);
  EXPECT_EQ(sum.cache_misses, 160000);
}

}  // namespace
}  // namespace sstable
