#include "filter/bloom.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "filter/bloom_kernels.h"

namespace sstable {

int BloomProbeCount(int bits_per_key) {
  return std::clamp(static_cast<int>(bits_per_key * 0.69), 1, kMaxBloomProbes);
}

// Independent probes would all meet set bits with probability `fill`^k. In addition, the probes of
// a key coincide if the step is near a multiple of the number of bits, and keys with similar steps
// share bits. Both become rarer in proportion to the number of bits. The numerator was measured for
// 1 to 2000 keys and 2 to 30 bits per key; it is above 1 only for powers of two, where each wrap at
// 2^32 leads to the same bits.
double ExpectedBloomRate(const BloomShape& shape, size_t key_count) {
  const double bits = 8.0 * static_cast<double>(shape.byte_count);
  const double k = shape.probe_count;
  const double fill = 1 - std::exp(-k * static_cast<double>(key_count) / bits);
  return std::pow(fill, k) + std::clamp(6 / k, 0.4, 0.7) / bits;
}

namespace {

// True for sizes in which LevelDB's probes coincide more often than ExpectedBloomRate() predicts:
// powers of two; multiples of 17, a factor of 2^32 - 1, where a wrap at 2^32 moves the next bits
// only a little; and large sizes that share a small factor with many steps. Small sizes that share
// one stay, since skipping them would leave large gaps.
bool IsWeakSize(size_t byte_count) {
  if ((byte_count & (byte_count - 1)) == 0 || byte_count % 17 == 0) return true;
  if (byte_count >= 32 && byte_count % 2 == 0) return true;
  return byte_count >= 128 && (byte_count % 3 == 0 || byte_count % 5 == 0 || byte_count % 7 == 0);
}

// Returns the filter shape with the rate nearest to `rate`.
BloomShape BloomShapeForRate(double rate, size_t key_count) {
  constexpr double kLn2 = 0.6931471805599453;
  const double n = static_cast<double>(std::max<size_t>(key_count, 1));
  const auto shape_of = [n](size_t byte_count) {
    const double best = std::round(8.0 * static_cast<double>(byte_count) / n * kLn2);
    return BloomShape{byte_count, static_cast<int>(std::clamp(best, 1.0, double{kMaxBloomProbes}))};
  };
  // A large filter with independent probes needs this many; other filters need more.
  const double least_bytes = -std::log(rate) / (kLn2 * kLn2) * n / 8;
  size_t byte_count = std::max<size_t>(9, static_cast<size_t>(least_bytes));
  BloomShape smaller = shape_of(byte_count);
  for (;;) {
    do {
      ++byte_count;
    } while (IsWeakSize(byte_count));
    const BloomShape shape = shape_of(byte_count);
    const double expected = ExpectedBloomRate(shape, key_count);
    if (expected > rate) {
      smaller = shape;
      continue;
    }
    return rate * rate < expected * ExpectedBloomRate(smaller, key_count) ? shape : smaller;
  }
}

}  // namespace

BloomShape BloomShapeFor(const BloomTraits& traits, size_t key_count) {
  if (traits.rate > 0) return BloomShapeForRate(traits.rate, key_count);
  const size_t bits =
      std::max<size_t>(64, key_count * static_cast<size_t>(std::max(traits.bits_per_key, 0)));
  return {(bits + 7) / 8, BloomProbeCount(traits.bits_per_key)};
}

void AppendBloomFilter(absl::Span<const uint32_t> hashes, const BloomTraits& traits,
                       std::string* dst) {
  const auto [byte_count, probe_count] = BloomShapeFor(traits, hashes.size());
  const size_t bit_count = byte_count * 8;

  const size_t start = dst->size();
  dst->resize(start + byte_count + 1, '\0');
  char* const bits = &(*dst)[start];
  bits[byte_count] = static_cast<char>(probe_count);
  if (byte_count <= kMaxProbeFilterSize) {
    return BestBloomKernels().set_bits(hashes.data(), hashes.size(), probe_count,
                                       static_cast<uint32_t>(bit_count), bits);
  }
  for (uint32_t hash : hashes) {  // bits past 2^32 are never set, as in LevelDB
    const uint32_t step = BloomStep(hash);
    for (int i = 0; i < probe_count; ++i, hash += step) {
      const size_t bit = hash % bit_count;
      bits[bit / 8] = static_cast<char>(bits[bit / 8] | 1 << (bit % 8));
    }
  }
}

bool BloomMayContain(uint32_t hash, absl::string_view filter) {
  const BloomView view(filter);
  if (view.is_probeable()) return kPortableBloomKernels.Probe(BloomProbe(view), hash);
  if (view.is_empty()) return false;
  if (view.is_reserved()) return true;
  const uint32_t step = BloomStep(hash);
  for (int i = 0; i < view.probe_count(); ++i, hash += step) {
    if (!view.IsSet(hash % view.bit_count())) return false;
  }
  return true;
}

bool BloomMayContainKey(const BloomTraits& traits, absl::string_view key,
                        absl::string_view filter) {
  return AnyBloomHash(traits, key,
                      [filter](HashTail, uint32_t hash) { return BloomMayContain(hash, filter); });
}

}  // namespace sstable
