// The vector kernels, compiled for each kind of vector unit and chosen when the program first asks.
//
// Probe:   all positions of a key at once, one in the low half of each 64-bit lane. A filter of up
//          to 1024 bits, as nearly every 2 KiB window has, is two 512-bit registers, and a
//          permutation fetches all its words: no load depends on the hash. Other filters are
//          gathered from.
// HashKeys: 16 (8) keys of one size at a time, one to a lane.
// SetBits: 16 (8) hashes at a time. A bit is first set as a whole byte, by a plain store, since
// bits
//          set in place would wait for each other; then bytes are packed to bits by one comparison.
#include <cstring>
#include <vector>

#include "filter/bloom_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/bloom_kernels_vector.cc"
#include "hwy/foreach_target.h"  // compiles what follows once for each target
// Must come behind it.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sstable {
namespace HWY_NAMESPACE {

// Narrower vectors gain nothing over the portable form.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL

namespace hn = hwy::HWY_NAMESPACE;
using Wide = hn::ScalableTag<uint64_t>;
using Narrow = hn::Repartition<uint32_t, Wide>;

// Remainders of the low halves of 64-bit lanes; see BloomBit(). The high halves become 0.
template <class V>
HWY_INLINE V WideBloomBit(V hash, V bit_count, V reciprocal) {
  const Wide wide;
  const Narrow narrow;
  const auto quotient =
      hn::ShiftRight<32>(hn::MulEven(hn::BitCast(narrow, hash), hn::BitCast(narrow, reciprocal)));
  const auto product = hn::MulEven(hn::BitCast(narrow, quotient), hn::BitCast(narrow, bit_count));
  const auto low = hn::And(hash, hn::Set(wide, 0xffffffff));
  const auto remainder = hn::BitCast(narrow, hn::Sub(low, product));
  return hn::BitCast(wide, hn::Min(remainder, hn::Sub(remainder, hn::BitCast(narrow, bit_count))));
}

// For each position, 64 bits of the filter of which the lowest is the one at that position. Lanes
// that are not `used` may hold any position, and get any bits.
template <class V, class M>
HWY_INLINE V FetchBits(const char* bits, uint32_t bit_count, V bit, M used) {
  const Wide wide;
#if HWY_TARGET != HWY_AVX2
  if (HWY_LIKELY(bit_count <= 8 * kBloomLoadSize)) {
    const Narrow narrow;
    const auto* words = reinterpret_cast<const uint32_t*>(bits);
    // Highway has no lookup in two registers.
    const hn::Vec<Narrow> found{_mm512_permutex2var_epi32(hn::LoadU(narrow, words).raw,
                                                          hn::ShiftRight<5>(bit).raw,
                                                          hn::LoadU(narrow, words + 16).raw)};
    return hn::Shr(hn::BitCast(wide, found), hn::And(bit, hn::Set(wide, 31)));
  }
#else
  (void)bit_count;
#endif
  // Unused lanes load the first bytes, not others that would have to come from memory.
  bit = hn::IfThenElseZero(used, bit);
  const hn::RebindToSigned<Wide> offsets;
  const V word = hn::GatherOffset(wide, reinterpret_cast<const uint64_t*>(bits),
                                  hn::BitCast(offsets, hn::ShiftRight<3>(bit)));
  return hn::Shr(word, hn::And(bit, hn::Set(wide, 7)));
}

// As many probes as there are lanes, from number `first` on.
HWY_INLINE bool ProbeLanes(const char* bits, uint32_t bit_count, uint32_t reciprocal,
                           uint32_t probe_count, uint32_t hash, uint32_t first) {
  const Wide wide;
  const Narrow narrow;
  const auto number = hn::Iota(wide, first);
  const auto step = hn::BitCast(narrow, hn::Set(wide, BloomStep(hash)));
  const auto sum = hn::Add(hn::BitCast(narrow, hn::MulEven(step, hn::BitCast(narrow, number))),
                           hn::BitCast(narrow, hn::Set(wide, hash)));
  const auto bit =
      WideBloomBit(hn::BitCast(wide, sum), hn::Set(wide, bit_count), hn::Set(wide, reciprocal));
  const auto used = hn::Lt(number, hn::Set(wide, probe_count));
  const auto found = FetchBits(bits, bit_count, bit, used);
  return hn::AllFalse(wide, hn::AndNot(hn::TestBit(found, hn::Set(wide, 1)), used));
}

bool Probe(const char* bits, uint32_t bit_count, uint32_t reciprocal, uint32_t probe_count,
           uint32_t hash) {
  constexpr uint32_t kLanes = HWY_LANES(uint64_t);
  if (HWY_LIKELY(probe_count <= kLanes)) {
    return ProbeLanes(bits, bit_count, reciprocal, probe_count, hash, 0);
  }
  for (uint32_t first = 0; first < probe_count; first += kLanes) {
    if (!ProbeLanes(bits, bit_count, reciprocal, probe_count, hash, first)) return false;
  }
  return true;
}

// Hashes as many keys of one size as there are lanes: 16 bytes of each key are gathered and
// transposed into four vectors of words.
HWY_INLINE void HashEqualSizes(const absl::string_view* keys, uint32_t* hashes) {
  const Narrow narrow;
  constexpr size_t kKeys = HWY_LANES(uint32_t);
  const size_t size = keys[0].size();
  const auto multiplier = hn::Set(narrow, kHashMultiplier);
  auto hash = hn::Set(narrow, HashStart(size, kBloomHashSeed));
  size_t at = 0;
  for (; at + 16 <= size; at += 16) {
    uint32_t words[4 * kKeys];
    for (size_t i = 0; i < kKeys; ++i) std::memcpy(words + 4 * i, keys[i].data() + at, 16);
    hn::Vec<Narrow> word[4];
    hn::LoadInterleaved4(narrow, words, word[0], word[1], word[2], word[3]);
    for (const auto& w : word) {
      hash = hn::Mul(hn::Add(hash, w), multiplier);
      hash = hn::Xor(hash, hn::ShiftRight<16>(hash));
    }
  }
  hn::StoreU(hash, narrow, hashes);
  if (at == size) return;
  for (size_t i = 0; i < kKeys; ++i) {
    hashes[i] = HashRest<HashTail::kUnsigned>(keys[i].substr(at), hashes[i]);
  }
}

void HashKeys(const absl::string_view* keys, size_t count, uint32_t* hashes) {
  constexpr size_t kKeys = HWY_LANES(uint32_t);
  size_t n = 0;
  for (; n + kKeys <= count; n += kKeys) {
    size_t different = 0;
    for (size_t i = 1; i < kKeys; ++i) different |= keys[n + i].size() ^ keys[n].size();
    if (different == 0 && keys[n].size() >= 16) {
      HashEqualSizes(keys + n, hashes + n);
    } else {
      kPortableBloomKernels.hash_keys(keys + n, kKeys, hashes + n);
    }
  }
  kPortableBloomKernels.hash_keys(keys + n, count - n, hashes + n);
}

// Bits of a filter up to this many are first set as bytes, in a buffer that stays in the cache.
constexpr uint32_t kMaxByteBits = 1 << 18;

void SetBits(const uint32_t* hashes, size_t count, int probe_count, uint32_t bit_count,
             char* bits) {
  if (bit_count > kMaxByteBits) {
    return kPortableBloomKernels.set_bits(hashes, count, probe_count, bit_count, bits);
  }
  const Wide wide;
  const Narrow narrow;
  const hn::ScalableTag<uint8_t> byte;
  constexpr size_t kHashes = HWY_LANES(uint32_t);
  constexpr size_t kBytes = HWY_LANES(uint8_t);
  thread_local std::vector<uint8_t> buffer;
  const size_t padded = (bit_count + kBytes - 1) / kBytes * kBytes;
  if (buffer.size() < padded) buffer.resize(padded);
  uint8_t* const is_set = buffer.data();
  std::memset(is_set, 0, padded);

  const auto divisor = hn::Set(narrow, bit_count);
  const auto reciprocal = hn::Set(narrow, BloomProbe::Reciprocal(bit_count));
  uint32_t bit[kHashes];
  for (size_t n = 0; n < count; n += kHashes) {
    const size_t used = count - n < kHashes ? count - n : kHashes;
    uint32_t last[kHashes];
    if (HWY_UNLIKELY(used < kHashes)) {
      // The lanes that are left over repeat a hash: its bits are set twice.
      for (size_t i = 0; i < kHashes; ++i) last[i] = hashes[n + (i < used ? i : 0)];
    }
    auto hash = hn::LoadU(narrow, used < kHashes ? last : hashes + n);
    const auto step = hn::Or(hn::ShiftRight<17>(hash), hn::ShiftLeft<15>(hash));
    for (int i = 0; i < probe_count; ++i) {
      const auto even = hn::ShiftRight<32>(hn::MulEven(hash, reciprocal));
      const auto odd =
          hn::MulEven(hn::BitCast(narrow, hn::ShiftRight<32>(hn::BitCast(wide, hash))), reciprocal);
      const auto quotient = hn::OddEven(hn::BitCast(narrow, odd), hn::BitCast(narrow, even));
      const auto remainder = hn::Sub(hash, hn::Mul(quotient, divisor));
      // Not Store(): g++ 12's AddressSanitizer may leave `bit` unaligned (GCC PR 110027).
      hn::StoreU(hn::Min(remainder, hn::Sub(remainder, divisor)), narrow, bit);
      HWY_FENCE;  // or the compiler takes the vector apart, lane by lane, which is slower
      for (size_t lane = 0; lane < kHashes; lane += 2) {
        uint64_t two;
        std::memcpy(&two, bit + lane, sizeof(two));
        is_set[static_cast<uint32_t>(two)] = 1;
        is_set[two >> 32] = 1;
      }
      hash = hn::Add(hash, step);
    }
  }
  for (size_t i = 0; i < bit_count; i += kBytes) {
    const auto mask = hn::Ne(hn::LoadU(byte, is_set + i), hn::Zero(byte));
    uint8_t packed[kBytes / 8];
    hn::StoreMaskBits(byte, mask, packed);
    const size_t left = (bit_count - i) / 8;
    std::memcpy(bits + i / 8, packed, left < sizeof(packed) ? left : sizeof(packed));
  }
}

BloomKernels Kernels() { return {&Probe, &HashKeys, &SetBits}; }

#else

BloomKernels Kernels() { return kPortableBloomKernels; }

#endif

}  // namespace HWY_NAMESPACE
}  // namespace sstable
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace sstable {

HWY_EXPORT(Kernels);

const BloomKernels& BestBloomKernels() {
  static const BloomKernels kernels = HWY_DYNAMIC_DISPATCH(Kernels)();
  return kernels;
}

}  // namespace sstable

#endif  // HWY_ONCE
