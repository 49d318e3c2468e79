// The theory of filters with ideal hashes, where each probe of each key is an independent,
// uniformly distributed bit.
#ifndef SSTABLE_BENCHMARKS_FILTER_LAB_THEORY_H_
#define SSTABLE_BENCHMARKS_FILTER_LAB_THEORY_H_

#include <cstdint>

namespace sstable::bench {

// The size of a Bloom filter: `keys` in `bits`, with `probes` for each key.
struct FilterSize {
  uint64_t keys;
  uint64_t bits;
  int probes;
};

// The textbook's false positive rate, (1 - e^(-probes * keys / bits))^probes. Correct for large
// filters, but too low for small ones: it is the power of the mean share of set bits, not the mean
// of the power.
double BloomRate(const FilterSize& size);

// The exact rate: the mean of that power over all possible sets of bits. Takes time proportional to
// keys * probes * bits.
double ExactBloomRate(const FilterSize& size);

// The rate of a Bloom filter of `lines` of 512 bits in which each key uses one line: a line's exact
// rate, averaged over its number of keys (binomial distribution).
double BlockedBloomRate(uint64_t keys, uint64_t lines, int probes);

// The minimum number of bits per key for this rate with any filter: log2(1 / rate). A Bloom filter
// takes 1.44 times as many.
double LeastBitsPerKey(double rate);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_LAB_THEORY_H_
