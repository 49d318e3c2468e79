#include "filter/bloom.h"

#include <algorithm>
#include <cstddef>

namespace sstable {

int BloomProbeCount(int bits_per_key) {
  return std::clamp(static_cast<int>(bits_per_key * 0.69), 1, kMaxBloomProbes);
}

void AppendBloomFilter(absl::Span<const uint32_t> hashes, int bits_per_key, std::string* dst) {
  const size_t wanted_bits =
      std::max<size_t>(64, hashes.size() * static_cast<size_t>(std::max(bits_per_key, 0)));
  const size_t byte_count = (wanted_bits + 7) / 8;
  const size_t bit_count = byte_count * 8;
  const int probe_count = BloomProbeCount(bits_per_key);

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
