// One step of the search in the trees, compiled for each kind of vector unit by the files that
// include it, like Highway's -inl.h files.
#if defined(SSTABLE_TABLE_TREE_NODE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SSTABLE_TABLE_TREE_NODE_INL_H_
#undef SSTABLE_TABLE_TREE_NODE_INL_H_
#else
#define SSTABLE_TABLE_TREE_NODE_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sstable {
namespace HWY_NAMESPACE {

// Returns how many numbers of a node of kSize are below the target.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL

// Compares all lanes at once, and counts those below the target.
template <size_t kSize>
HWY_INLINE size_t CountBelow(const uint64_t* node, uint64_t target) {
  const hwy::HWY_NAMESPACE::CappedTag<uint64_t, kSize> lanes;
  const auto wanted = hwy::HWY_NAMESPACE::Set(lanes, target);
  size_t count = 0;
  for (size_t i = 0; i < kSize; i += kSize < HWY_LANES(uint64_t) ? kSize : HWY_LANES(uint64_t)) {
    const auto numbers = hwy::HWY_NAMESPACE::LoadU(lanes, node + i);
    count += hwy::HWY_NAMESPACE::CountTrue(lanes, hwy::HWY_NAMESPACE::Lt(numbers, wanted));
  }
  return count;
}

#else

// Without wide vectors: binary search by conditional moves.
template <size_t kSize>
HWY_INLINE size_t CountBelow(const uint64_t* node, uint64_t target) {
  size_t count = 0;
  for (size_t step = kSize / 2; step > 0; step /= 2) {
    count += node[count + step - 1] < target ? step : 0;
  }
  return count + (node[count] < target ? 1 : 0);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace sstable
HWY_AFTER_NAMESPACE();

#endif  // the toggled guard
