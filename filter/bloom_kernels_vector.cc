// The vector kernels, compiled for each kind of vector unit and chosen at their first use.
//
// Probe:   all positions of a key at once, one in the low half of each 64-bit lane. A filter of up
//          to 1024 bits, as nearly every 2 KiB window has, is two 512-bit registers, and a
//          permutation fetches all its words: no load depends on the hash. Larger filters use
//          gathers.
// HashKeys: 16 (8) keys of one size at a time, one to a lane.
// SetBits: 16 (8) hashes at a time. Each bit is first stored as a whole byte, since bits set in
//          place would wait for each other; then comparisons pack the bytes into bits.
#include <cstring>
#include <vector>

#include "filter/bloom.h"
#include "filter/bloom_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/bloom_kernels_vector.cc"
#include "hwy/foreach_target.h"  // compiles what follows once for each target
// Must come after foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sstable {
namespace HWY_NAMESPACE {

// Narrower vectors are no faster than the portable code.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL

namespace hn = hwy::HWY_NAMESPACE;
using Wide = hn::ScalableTag<uint64_t>;
using Narrow = hn::Repartition<uint32_t, Wide>;

// Reduces the low halves of 64-bit lanes; see BloomBit(). The high halves become 0.
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

// Returns, for each position, 64 bits of the filter, the lowest of which is the one at that
// position. Lanes that are not `used` may hold any position; what is returned for them is
// arbitrary.
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
  // Unused lanes load the first bytes, to touch no further cache lines.
  bit = hn::IfThenElseZero(used, bit);
  const hn::RebindToSigned<Wide> offsets;
  const V word = hn::GatherOffset(wide, reinterpret_cast<const uint64_t*>(bits),
                                  hn::BitCast(offsets, hn::ShiftRight<3>(bit)));
  return hn::Shr(word, hn::And(bit, hn::Set(wide, 7)));
}

// Tests as many probes as there are lanes, starting with probe `first`.
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

// Loads four words of as many keys as there are lanes: the first word of each key, in order, then
// the second, third and fourth. Each 128-bit block of a vector loads 16 bytes of a key; then blocks
// of four keys are transposed.
HWY_INLINE void LoadWords(const absl::string_view* keys, size_t at, hn::Vec<Narrow>* words) {
  const Narrow narrow;
  const Wide wide;
  const hn::FixedTag<uint32_t, 4> block;
  const auto load = [&](size_t key) {
    return hn::LoadU(block, reinterpret_cast<const uint32_t*>(keys[key].data() + at));
  };
  hn::Vec<Narrow> key[4];  // block b of key[i] belongs to keys[4 * b + i]
  for (size_t i = 0; i < 4; ++i) {
#if HWY_TARGET == HWY_AVX2
    key[i] = hn::Combine(narrow, load(4 + i), load(i));
#else
    const hn::Half<Narrow> half;
    key[i] = hn::Combine(narrow, hn::Combine(half, load(12 + i), load(8 + i)),
                         hn::Combine(half, load(4 + i), load(i)));
#endif
  }
  const auto pairs = [&](const auto& interleaved) { return hn::BitCast(wide, interleaved); };
  const auto low01 = pairs(hn::InterleaveLower(narrow, key[0], key[1]));
  const auto low23 = pairs(hn::InterleaveLower(narrow, key[2], key[3]));
  const auto high01 = pairs(hn::InterleaveUpper(narrow, key[0], key[1]));
  const auto high23 = pairs(hn::InterleaveUpper(narrow, key[2], key[3]));
  words[0] = hn::BitCast(narrow, hn::InterleaveLower(wide, low01, low23));
  words[1] = hn::BitCast(narrow, hn::InterleaveUpper(wide, low01, low23));
  words[2] = hn::BitCast(narrow, hn::InterleaveLower(wide, high01, high23));
  words[3] = hn::BitCast(narrow, hn::InterleaveUpper(wide, high01, high23));
}

// Hashes as many keys of one size, at least 16 bytes, as there are lanes.
HWY_INLINE void HashEqualSizes(const absl::string_view* keys, uint32_t* hashes) {
  const Narrow narrow;
  const size_t size = keys[0].size();
  const auto multiplier = hn::Set(narrow, kHashMultiplier);
  auto hash = hn::Set(narrow, HashStart(size, kBloomHashSeed));
  size_t at = 0;
  for (; at + 16 <= size; at += 16) {
    hn::Vec<Narrow> words[4];
    LoadWords(keys, at, words);
    for (const auto& word : words) {
      hash = hn::Mul(hn::Add(hash, word), multiplier);
      hash = hn::Xor(hash, hn::ShiftRight<16>(hash));
    }
  }
  hn::StoreU(hash, narrow, hashes);
  if (at == size) return;
  for (size_t i = 0; i < HWY_LANES(uint32_t); ++i) {
    hashes[i] = HashRest<HashTail::kUnsigned>(keys[i].substr(at), hashes[i]);
  }
}

void HashKeys(const absl::string_view* keys, size_t count, uint32_t* hashes) {
  constexpr size_t kKeys = HWY_LANES(uint32_t);
  if (count < kKeys) return kPortableBloomKernels.hash_keys(keys, count, hashes);
  for (size_t n = 0; n < count; n += kKeys) {
    n = n < count - kKeys ? n : count - kKeys;  // the last round hashes some keys again
    size_t different = 0;
    for (size_t i = 1; i < kKeys; ++i) different |= keys[n + i].size() ^ keys[n].size();
    if (different == 0 && keys[n].size() >= 16) {
      HashEqualSizes(keys + n, hashes + n);
    } else {
      kPortableBloomKernels.hash_keys(keys + n, kKeys, hashes + n);
    }
  }
}

// Filters of at most this many bits are first built as bytes, in a buffer that stays in the cache.
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
  alignas(64) uint32_t bit[kHashes];
  const auto set_two = [&](size_t lane) {
    uint64_t two;
    std::memcpy(&two, bit + lane, sizeof(two));
    is_set[static_cast<uint32_t>(two)] = 1;
    is_set[two >> 32] = 1;
  };
  for (size_t n = 0; n < count; n += kHashes) {
    const size_t used = count - n < kHashes ? count - n : kHashes;
    uint32_t last[kHashes];
    if (HWY_UNLIKELY(used < kHashes)) {
      // Spare lanes repeat a hash; its bits may be set twice.
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
      // Forces `bit` into memory here; otherwise the compiler takes the vector apart lane by lane,
      // which is slower.
      asm volatile("" : : "r"(bit) : "memory");
      if (HWY_LIKELY(used == kHashes)) {
        for (size_t lane = 0; lane < kHashes; lane += 2) set_two(lane);
      } else {
        for (size_t lane = 0; lane < used; lane += 2) set_two(lane);
      }
      hash = hn::Add(hash, step);
    }
  }

  const auto pack = [&](size_t i, uint8_t* packed) {
    hn::StoreMaskBits(byte, hn::Ne(hn::LoadU(byte, is_set + i), hn::Zero(byte)), packed);
  };
  auto* const filter = reinterpret_cast<uint8_t*>(bits);
  size_t i = 0;
  for (; i + kBytes <= bit_count; i += kBytes) pack(i, filter + i / 8);
  if (i < bit_count) {
    uint8_t packed[kBytes / 8];
    pack(i, packed);
    for (size_t n = 0; n < (bit_count - i) / 8; ++n) filter[i / 8 + n] = packed[n];
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
