// What theory says of filters with ideal hashes: every probe of every key a bit of its own choice,
// all equally likely.
#ifndef SSTABLE_BENCHMARKS_FILTER_LAB_THEORY_H_
#define SSTABLE_BENCHMARKS_FILTER_LAB_THEORY_H_

#include <cstdint>

namespace sstable::bench {

// A Bloom filter: `keys` in `bits`, each with `probes`.
struct FilterSize {
  uint64_t keys;
  uint64_t bits;
  int probes;
};

// The textbook's rate of absent keys that pass, (1 - e^(-probes * keys / bits))^probes. Right for
// large filters, and too low for small ones: it takes the power of the mean share of set bits, not
// the mean of the power.
double BloomRate(const FilterSize& size);

// The mean of that power over all that the probes may set: exact. Takes time in proportion to keys
// * probes * bits.
double ExactBloomRate(const FilterSize& size);

// The rate of a Bloom filter of `lines` of 512 bits, each key in one of them: the exact rate of a
// line, averaged over the number of its keys (binomial distribution).
double BlockedBloomRate(uint64_t keys, uint64_t lines, int probes);

// The number of probes with the lowest BloomRate(): ln 2 * bits per key, not rounded.
double BestProbeCount(double bits_per_key);

// The least bits per key that any filter of this rate needs: log2(1 / rate). A Bloom filter takes
// 1.44 times as many.
double LeastBitsPerKey(double rate);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_LAB_THEORY_H_
