// Counts a reader's operations without contention between threads.
#ifndef SSTABLE_TABLE_READER_STATS_COUNTER_H_
#define SSTABLE_TABLE_READER_STATS_COUNTER_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sstable/table_reader.h"
#include "util/thread_slot.h"

namespace sstable {

// Threads: all methods may be called from any number of threads at once. Each of the first threads
// has its own counters in its own cache line; all further threads share one set.
class ReaderStatsCounter {
 public:
  // Each lookup without an error adds to one of the first three.
  enum Counter {
    kFilterNegatives,
    kFilterPositives,
    kUnfilteredLookups,
    kFalsePositives,
    kBlocksRead,
    kBytesRead,
    kCacheHits,
    kCacheMisses,
    kCounterCount
  };

  // The calling thread's counters. Look them up once for several additions.
  class Shard {
   public:
    void Add(Counter counter, uint64_t amount = 1) {
      std::atomic<uint64_t>& value = values_[counter];
      if (shared_) {
        value.fetch_add(amount, std::memory_order_relaxed);
      } else {  // no other thread writes it
        value.store(value.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
      }
    }

   private:
    friend class ReaderStatsCounter;
    alignas(64) bool shared_ = false;
    std::array<std::atomic<uint64_t>, kCounterCount> values_ = {};  // misses are in a second cache
                                                                    // line
  };

  ReaderStatsCounter() { shards_.back().shared_ = true; }

  Shard& ForThisThread() { return shards_[std::min(ThreadSlot(), shards_.size() - 1)]; }

  // Returns the sums. Concurrent additions may be missing.
  ReaderStats Sum() const {
    std::array<uint64_t, kCounterCount> sum = {};
    for (const Shard& shard : shards_) {
      for (size_t i = 0; i < sum.size(); ++i) {
        sum[i] += shard.values_[i].load(std::memory_order_relaxed);
      }
    }
    return {sum[kFilterNegatives] + sum[kFilterPositives] + sum[kUnfilteredLookups],
            sum[kFilterNegatives],
            sum[kFilterPositives],
            sum[kFalsePositives],
            sum[kBlocksRead],
            sum[kBytesRead],
            sum[kCacheHits],
            sum[kCacheMisses]};
  }

 private:
  std::array<Shard, 16> shards_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_READER_STATS_COUNTER_H_
