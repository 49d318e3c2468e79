// A Bloom filter whose probes can be chosen in several ways.
//
// LevelDB's probes give exactly the bits of LevelDB's filters, in the same layout:
// docs/filter_block.md.
#ifndef SSTABLE_BENCHMARKS_FILTER_LAB_LAB_FILTER_H_
#define SSTABLE_BENCHMARKS_FILTER_LAB_LAB_FILTER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "filter/bloom_kernels.h"

namespace sstable::bench {

// Returns the 64-bit XXH3.
uint64_t SeededHash(absl::string_view key, uint64_t seed);

// The probes of a key. Probe i, from 0 on, tests the bit whose number is the probe's value modulo
// the number of bits.

// A separate hash for each probe.
struct IndependentProbes {
  absl::string_view key;
  uint64_t operator()(int i) const { return SeededHash(key, static_cast<uint64_t>(i)); }
};

// With the halves a and b of a 64-bit hash: a, a + b, a + 2b, ...
struct DoubleProbes {
  uint64_t hash;
  uint64_t operator()(int i) const {
    return (hash & 0xffffffff) + static_cast<uint64_t>(i) * (hash >> 32);
  }
};

// LevelDB's probes: b is a, rotated.
struct RotatedProbes {
  uint32_t hash;
  uint64_t operator()(int i) const { return hash + static_cast<uint32_t>(i) * BloomStep(hash); }
};

class LabFilter {
 public:
  // Rounds `bit_count` up to complete bytes.
  LabFilter(uint64_t bit_count, int probe_count)
      : bits_((bit_count + 7) / 8, '\0'), probe_count_(probe_count) {}

  uint64_t bit_count() const { return 8 * uint64_t{bits_.size()}; }
  int probe_count() const { return probe_count_; }
  const std::string& bits() const { return bits_; }

  template <typename Probes>
  void Add(const Probes& probes) {
    for (int i = 0; i < probe_count_; ++i) {
      const uint64_t bit = probes(i) % bit_count();
      bits_[bit / 8] = static_cast<char>(bits_[bit / 8] | 1 << (bit % 8));
    }
  }

  template <typename Probes>
  bool MayContain(const Probes& probes) const {
    for (int i = 0; i < probe_count_; ++i) {
      const uint64_t bit = probes(i) % bit_count();
      if ((bits_[bit / 8] & 1 << (bit % 8)) == 0) return false;
    }
    return true;
  }

 private:
  std::string bits_;
  int probe_count_;
};

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_LAB_LAB_FILTER_H_
