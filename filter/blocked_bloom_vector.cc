// The vector implementation of a blocked Bloom filter, compiled for each kind of vector unit and
// chosen when a filter is opened.
//
// A line is one register or two, and permutations fetch the words of all probes at once: one load
// depends on the hash, not one for each probe.
#include "filter/blocked_bloom.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/blocked_bloom_vector.cc"
#include "hwy/foreach_target.h"  // compiles what follows once for each target
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "sstable/experimental/table_filter.h"

HWY_BEFORE_NAMESPACE();
namespace sstable {
namespace HWY_NAMESPACE {

// Narrower vectors are no faster than the portable code.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<uint32_t>;

// Returns the words of a line that contain the bits with these numbers.
template <class V>
HWY_INLINE V FetchWords(const uint32_t* line, V bit) {
  const Words words;
  const auto word = hn::ShiftRight<5>(bit);
#if HWY_TARGET == HWY_AVX2
  const auto of_half = hn::IndicesFromVec(words, hn::And(word, hn::Set(words, 7)));
  return hn::IfThenElse(hn::TestBit(word, hn::Set(words, 8)),
                        hn::TableLookupLanes(hn::LoadU(words, line + 8), of_half),
                        hn::TableLookupLanes(hn::LoadU(words, line), of_half));
#else
  return hn::TableLookupLanes(hn::LoadU(words, line), hn::IndicesFromVec(words, word));
#endif
}

class VectorBlockedBloom final : public BlockedBloomLines {
 public:
  using BlockedBloomLines::BlockedBloomLines;

  bool MayMatch(uint64_t hash) const override {
    const auto* const line = reinterpret_cast<const uint32_t*>(Line(hash));
    constexpr int kLanes = HWY_LANES(uint32_t);
    for (int first = 0;; first += kLanes) {
      if (!HaveBits(line, static_cast<uint32_t>(hash), first)) return false;
      if (HWY_LIKELY(first + kLanes >= probe_count())) return true;
    }
  }

 private:
  // Tests as many probes as there are lanes, starting with probe `first`.
  HWY_INLINE bool HaveBits(const uint32_t* line, uint32_t hash, int first) const {
    const Words words;
    const auto powers = hn::LoadU(words, kBlockedBloomStepPowers.data() + first);
    const auto bit = hn::ShiftRight<kBlockedBloomBitShift>(hn::Mul(hn::Set(words, hash), powers));
    const auto found = hn::Shr(FetchWords(line, bit), hn::And(bit, hn::Set(words, 31)));
    const auto used = hn::FirstN(words, static_cast<size_t>(probe_count() - first));
    return hn::AllFalse(words, hn::AndNot(hn::TestBit(found, hn::Set(words, 1)), used));
  }
};

std::unique_ptr<const TableFilter> New(absl::string_view lines, int probe_count) {
  return std::unique_ptr<const TableFilter>(new VectorBlockedBloom(lines, probe_count));
}

#else

std::unique_ptr<const TableFilter> New(absl::string_view lines, int probe_count) {
  return NewPortableBlockedBloom(lines, probe_count);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace sstable
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace sstable {

HWY_EXPORT(New);

std::unique_ptr<const TableFilter> NewBestBlockedBloom(absl::string_view lines, int probe_count) {
  return HWY_DYNAMIC_DISPATCH(New)(lines, probe_count);
}

}  // namespace sstable

#endif  // HWY_ONCE
