// Counts a reader's operations without contention between threads.
#ifndef SSTABLE_TABLE_READER_STATS_COUNTER_H_
#define SSTABLE_TABLE_READER_STATS_COUNTER_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/base/optimization.h"
#include "filter/lookup_filter.h"
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

// A lookup counts as a negative if a filter ruled the key out and no block was searched; as a
// positive if a block was searched that a filter, the table's or its own, did not rule out;
// otherwise as unfiltered.
//
// Pattern: construct with the answer of the table's filter. Unless that rules the key out:
// RulesOut() for each block in order, then set_has_key(). Count().
class FilterOutcome {
 public:
  FilterOutcome() = default;
  explicit FilterOutcome(FilterAnswer of_table)
      : of_table_(of_table), answers_(table_rules_out() ? Bit(of_table) : 0) {}

  // True if the table's filter rules the key out.
  bool table_rules_out() const { return of_table_ == FilterAnswer::kAbsent; }

  // Notes the answer of a block's filter and returns true if it rules the key out. If not, the
  // block is searched.
  bool RulesOut(FilterAnswer of_block) {
    answers_ |= Bit(of_block);
    return of_block == FilterAnswer::kAbsent;
  }

  // A block that was searched has the key.
  void set_has_key() { has_key_ = true; }

  // A filter negative counts only if no block was searched. Lookups that end in an error don't
  // count.
  template <typename Counts>
  void Count(Counts* counts) const {
    if (ABSL_PREDICT_TRUE(answers_ == Bit(FilterAnswer::kAbsent))) {
      counts->Add(ReaderStatsCounter::kFilterNegatives);
    } else if (((answers_ | Bit(of_table_)) & Bit(FilterAnswer::kMayMatch)) != 0) {
      counts->Add(ReaderStatsCounter::kFilterPositives);
      if (!has_key_) counts->Add(ReaderStatsCounter::kFalsePositives);
    } else {
      counts->Add(ReaderStatsCounter::kUnfilteredLookups);
    }
  }

 private:
  static constexpr unsigned Bit(FilterAnswer answer) { return static_cast<unsigned>(answer); }

  FilterAnswer of_table_ = FilterAnswer::kNotAsked;
  unsigned answers_ = 0;  // the Bit() of each block's answer
  bool has_key_ = false;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_READER_STATS_COUNTER_H_
