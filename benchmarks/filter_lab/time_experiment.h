// Measures the parts of a Bloom filter's time.
#ifndef SSTABLE_BENCHMARKS_FILTER_LAB_TIME_EXPERIMENT_H_
#define SSTABLE_BENCHMARKS_FILTER_LAB_TIME_EXPERIMENT_H_

#include <cstddef>
#include <string>
#include <vector>

namespace sstable::bench {

// Times in ns per key: of several rounds, in which all schemes take turns, the lower quartile of
// this thread's processor time.
struct ProbeTimes {
  std::string series;  // as in CompareProbes()
  size_t key_size;     // bytes
  double hash;         // the key's hash or hashes alone
  double add;          // all of adding a key, with its hashes
  double hit;          // all of asking for a key that is in the filter
};

// Filters of 10,000 keys, 10 bits per key, 6 probes: in the processor's cache.
std::vector<ProbeTimes> TimeProbes();

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_LAB_TIME_EXPERIMENT_H_
