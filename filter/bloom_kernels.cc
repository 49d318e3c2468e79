// The portable kernels. No branch depends on a bit of the filter: a miss meets a clear bit after an
// unpredictable number of probes, and a mispredicted branch costs more than the other probes.
#include "filter/bloom_kernels.h"

#include "absl/base/optimization.h"
#include "filter/bloom.h"

namespace sstable {
namespace {

// `bit_of` maps a hash to a bit's number.
template <typename BitOf>
inline bool ProbeBits(const char* bits, uint32_t probe_count, uint32_t hash, const BitOf& bit_of) {
  const uint32_t step = BloomStep(hash);
  uint32_t all = 1;
  for (uint32_t i = 0; i < probe_count; ++i, hash += step) {
    const uint32_t bit = bit_of(hash);
    all &= static_cast<unsigned char>(bits[bit / 8]) >> (bit % 8);
  }
  return (all & 1) != 0;
}

bool Probe(const char* bits, uint32_t bit_count, uint32_t reciprocal, uint32_t probe_count,
           uint32_t hash) {
  if (ABSL_PREDICT_TRUE(bit_count <= kMaxFractionBits)) {
    const uint64_t fraction = BloomFraction(bit_count, reciprocal);
    return ProbeBits(bits, probe_count, hash,
                     [=](uint32_t h) { return BloomBitOfFraction(h, bit_count, fraction); });
  }
  return ProbeBits(bits, probe_count, hash,
                   [=](uint32_t h) { return BloomBit(h, bit_count, reciprocal); });
}

void HashKeys(const absl::string_view* keys, size_t count, uint32_t* hashes) {
  for (size_t i = 0; i < count; ++i) hashes[i] = BloomKeyHash(keys[i]);
}

void SetBits(const uint32_t* hashes, size_t count, int probe_count, uint32_t bit_count,
             char* bits) {
  const uint32_t reciprocal = BloomProbe::Reciprocal(bit_count);
  for (size_t n = 0; n < count; ++n) {
    uint32_t hash = hashes[n];
    const uint32_t step = BloomStep(hash);
    for (int i = 0; i < probe_count; ++i, hash += step) {
      const uint32_t bit = BloomBit(hash, bit_count, reciprocal);
      bits[bit / 8] = static_cast<char>(bits[bit / 8] | 1 << (bit % 8));
    }
  }
}

}  // namespace

const BloomKernels kPortableBloomKernels = {&Probe, &HashKeys, &SetBits};

}  // namespace sstable
