// The theory of filters with ideal hashes: each probe of each key is an independent, uniformly
// distributed bit.
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

// The textbook's rate of absent keys that pass, (1 - e^(-probes * keys / bits))^probes. Correct for
// large filters, and too low for small ones: it is the power of the mean share of set bits, not the
// mean of the power.
double BloomRate(const FilterSize& size);

// The mean of that power over all possible sets of bits: exact. Takes time in proportion to keys *
// probes * bits.
double ExactBloomRate(const FilterSize& size);

// The rate of a Bloom filter of `lines` of 512 bits, with each key in one of them: the exact rate
// of a line, averaged over the number of its keys (binomial distribution).
double BlockedBloomRate(uint64_t keys, uint64_t lines, int probes);

// The fewest bits per key with which any filter can reach this rate: log2(1 / rate). A Bloom filter
// takes 1.44 times as many.
double LeastBitsPerKey(double rate);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_LAB_THEORY_H_
