// Sets of keys from which filters are built, and keys to probe them with.
#ifndef SSTABLE_BENCHMARKS_FILTER_WORKLOAD_H_
#define SSTABLE_BENCHMARKS_FILTER_WORKLOAD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/workload.h"

namespace sstable::bench {

// Keys in the order of the probes, each with its window.
struct FilterProbes {
  KeyList keys;
  std::vector<uint32_t> windows;
};

struct FilterWorkload {
  std::string name;
  std::vector<KeyList> windows;
  FilterProbes hits;    // their windows contain them
  FilterProbes misses;  // no window contains them
};

// "windows": 64 filters of 20 to 60 keys, as for 2 KiB of a file.
FilterWorkload SmallWindows();

// "10MB": one filter of 2^23 keys.
FilterWorkload OneLargeFilter();

// Returns random keys for complete filters of `keys_per_filter`, at least `minimum` keys in all.
KeyList KeysForFilters(size_t keys_per_filter, size_t minimum);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_WORKLOAD_H_
