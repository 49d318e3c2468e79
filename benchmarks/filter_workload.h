// Sets of keys to make filters of, and keys to ask them for.
#ifndef SSTABLE_BENCHMARKS_FILTER_WORKLOAD_H_
#define SSTABLE_BENCHMARKS_FILTER_WORKLOAD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/workload.h"

namespace sstable::bench {

// Keys in the order in which they are asked for, each in the window that it belongs to.
struct FilterProbes {
  KeyList keys;
  std::vector<uint32_t> windows;
};

struct FilterWorkload {
  std::string name;
  std::vector<KeyList> windows;
  FilterProbes hits;    // of keys that are in their window
  FilterProbes misses;  // of keys that are in none
};

// "windows": 64 filters of 20 to 60 keys, what 2 KiB of a file have.
FilterWorkload SmallWindows();

// "10MB": one filter of 2^23 keys.
FilterWorkload OneLargeFilter();

// As many random keys as make at least `minimum`, and whole filters of `keys_per_filter`.
KeyList KeysForFilters(size_t keys_per_filter, size_t minimum);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_WORKLOAD_H_
