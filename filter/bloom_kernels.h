// A Bloom filter prepared for many probes: everything they share is computed once.
//
// Each probe needs a remainder h mod m, which takes no division: with r = floor(2^32 / m), the
// number q = (h * r) >> 32 is the quotient or one less, so h - q * m is below 2m, and one
// conditional subtraction, min(x, x - m) of unsigned words, gives the remainder. This holds for
// every 32-bit h and m. After Lemire, Kaser and Kurz, "Faster remainder by direct computation",
// 2019.
#ifndef SSTABLE_FILTER_BLOOM_KERNELS_H_
#define SSTABLE_FILTER_BLOOM_KERNELS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "filter/bloom_view.h"
#include "filter/scaled_hash.h"

namespace sstable {

// Vector probes load the filter in whole registers: they read up to this many bytes from its start,
// whatever its size.
inline constexpr size_t kBloomLoadSize = 128;

struct BloomProbe {
  BloomProbe() = default;
  // `filter` must be is_probeable().
  explicit BloomProbe(const BloomView& filter)
      : bits(filter.bits().data()),
        bit_count(static_cast<uint32_t>(filter.bit_count())),
        reciprocal(Reciprocal(bit_count)),
        probe_count(static_cast<uint32_t>(filter.probe_count())) {}

  static uint32_t Reciprocal(uint32_t bit_count) {
    return static_cast<uint32_t>((uint64_t{1} << 32) / bit_count);
  }

  const char* bits = nullptr;
  uint32_t bit_count = 0;
  uint32_t reciprocal = 0;  // floor(2^32 / bit_count)
  uint32_t probe_count = 0;
};

// Returns `hash` mod `bit_count`.
inline uint32_t BloomBit(uint32_t hash, uint32_t bit_count, uint32_t reciprocal) {
  const auto quotient = static_cast<uint32_t>((uint64_t{hash} * reciprocal) >> 32);
  const uint32_t remainder = hash - quotient * bit_count;
  return std::min(remainder, remainder - bit_count);
}

// A faster BloomBit() for several hashes, in filters of at most 2^17 bits, as nearly all windows
// have. With e = 2^32 - r * m, the number c = r * 2^32 + e * (r + 1) is a little more than 2^64 /
// m, since c * m = 2^64 + e * (m - e). So h * c modulo 2^64 is the fraction (h mod m) / m in units
// of 2^-64, and too large by less than 1 / m: h * e * (m - e) is below 2^32 * m^2 / 4, which is at
// most 2^64.
inline constexpr uint32_t kMaxFractionBits = 1 << 17;

inline uint64_t BloomFraction(uint32_t bit_count, uint32_t reciprocal) {
  const uint32_t e = 0 - reciprocal * bit_count;
  return (uint64_t{reciprocal} << 32) + uint64_t{e} * (uint64_t{reciprocal} + 1);
}
inline uint32_t BloomBitOfFraction(uint32_t hash, uint32_t bit_count, uint64_t fraction) {
  return static_cast<uint32_t>(Scale(hash * fraction, bit_count));
}

// Returns the distance between the probed hashes.
inline constexpr uint32_t BloomStep(uint32_t hash) { return (hash >> 17) | (hash << 15); }

// The kernels, each in two implementations with the same results.
struct BloomKernels {
  // Returns true if all the bits of this hash are set in a filter of at most 30 probes. The
  // arguments are the parts of a BloomProbe, so that they are passed in registers. The vector
  // implementation reads kBloomLoadSize bytes.
  bool (*probe)(const char* bits, uint32_t bit_count, uint32_t reciprocal, uint32_t probe_count,
                uint32_t hash);
  bool Probe(const BloomProbe& filter, uint32_t hash) const {
    return probe(filter.bits, filter.bit_count, filter.reciprocal, filter.probe_count, hash);
  }

  // Hashes `count` keys, with the unsigned tail.
  void (*hash_keys)(const absl::string_view* keys, size_t count, uint32_t* hashes);

  // Sets the bits of `count` hashes in `bits`, which must be bit_count / 8 zero bytes.
  void (*set_bits)(const uint32_t* hashes, size_t count, int probe_count, uint32_t bit_count,
                   char* bits);
};

extern const BloomKernels kPortableBloomKernels;

// Returns the vector kernels that suit this machine, or the portable ones.
const BloomKernels& BestBloomKernels();

}  // namespace sstable

#endif  // SSTABLE_FILTER_BLOOM_KERNELS_H_
