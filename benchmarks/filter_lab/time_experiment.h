// Where the time of a Bloom filter goes.
#ifndef SSTABLE_BENCHMARKS_FILTER_LAB_TIME_EXPERIMENT_H_
#define SSTABLE_BENCHMARKS_FILTER_LAB_TIME_EXPERIMENT_H_

#include <cstddef>
#include <string>
#include <vector>

namespace sstable::bench {

// Of this thread's processor time: the lower quartile of several rounds, in which all schemes take
// turns. ns per key.
struct ProbeTimes {
  std::string series;  // of CompareProbes()
  size_t key_size;     // bytes
  double hash;         // the key's hash or hashes alone
  double add;          // all of adding a key, with its hashes
  double hit;          // all of asking for a key that is in the filter
};

// Filters of 10,000 keys, 10 bits per key, 6 probes: in the processor's cache.
std::vector<ProbeTimes> TimeProbes();

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_LAB_TIME_EXPERIMENT_H_
