// Measures how long the parts of a Bloom filter's work take.
#ifndef SSTABLE_BENCHMARKS_FILTER_LAB_TIME_EXPERIMENT_H_
#define SSTABLE_BENCHMARKS_FILTER_LAB_TIME_EXPERIMENT_H_

#include <cstddef>
#include <string>
#include <vector>

namespace sstable::bench {

// Times in ns per key. Each is the lower quartile of this thread's processor time in several
// rounds, in which all schemes take turns.
struct ProbeTimes {
  std::string series;  // as in CompareProbes()
  size_t key_size;     // in bytes
  double hash;         // computing the key's hash or hashes
  double add;          // adding a key, including its hashes
  double hit;          // looking up a present key, including its hashes
};

// Measures filters of 10,000 keys, 10 bits per key, 6 probes, which fit into the processor's cache.
std::vector<ProbeTimes> TimeProbes();

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_LAB_TIME_EXPERIMENT_H_
