// The search in a PrefixTree, compiled for each kind of vector unit and chosen when the program
// first uses it.
#include "table/prefix_tree.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "table/prefix_tree_vector.cc"
#include "hwy/foreach_target.h"  // compiles what follows once for each target
// Must follow it.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sstable {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL

namespace hn = hwy::HWY_NAMESPACE;

// How many numbers of a node are below the target: the lanes of a comparison that are true.
HWY_INLINE size_t CountBelow(const uint64_t* node, uint64_t target) {
  const hn::ScalableTag<uint64_t> lanes;
  const auto wanted = hn::Set(lanes, target);
  size_t count = 0;
  for (size_t i = 0; i < PrefixTree::kNodeSize; i += HWY_LANES(uint64_t)) {
    count += hn::CountTrue(lanes, hn::Lt(hn::LoadU(lanes, node + i), wanted));
  }
  return count;
}

#else

// Without wide vectors: four halvings, by conditional moves.
HWY_INLINE size_t CountBelow(const uint64_t* node, uint64_t target) {
  size_t count = 0;
  for (size_t step = PrefixTree::kNodeSize / 2; step > 0; step /= 2) {
    count += node[count + step - 1] < target ? step : 0;
  }
  return count + (node[count] < target ? 1 : 0);
}

#endif

size_t Descend(const uint64_t* const* layers, int depth, uint64_t target) {
  size_t place = 0;
  for (int layer = 0; layer < depth; ++layer) {
    place *= PrefixTree::kNodeSize;
    place += CountBelow(layers[layer] + place, target);
  }
  return place;
}

void DescendMany(const uint64_t* const* layers, int depth, const uint64_t* targets, size_t count,
                 size_t* places) {
  for (size_t i = 0; i < count; ++i) places[i] = 0;
  for (int layer = 0; layer < depth; ++layer) {
    for (size_t i = 0; i < count; ++i) {
      const size_t node = places[i] * PrefixTree::kNodeSize;
      places[i] = node + CountBelow(layers[layer] + node, targets[i]);
      if (layer + 1 < depth) {
        const uint64_t* const next = layers[layer + 1] + places[i] * PrefixTree::kNodeSize;
        __builtin_prefetch(next);
        __builtin_prefetch(next + PrefixTree::kNodeSize / 2);
      }
    }
  }
}

PrefixTreeKernels TreeKernels() { return {&Descend, &DescendMany}; }

}  // namespace HWY_NAMESPACE
}  // namespace sstable
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace sstable {

HWY_EXPORT(TreeKernels);

const PrefixTreeKernels& PortablePrefixTreeKernels() {
  static const PrefixTreeKernels kernels = HWY_STATIC_DISPATCH(TreeKernels)();
  return kernels;
}

const PrefixTreeKernels& BestPrefixTreeKernels() {
  static const PrefixTreeKernels kernels = HWY_DYNAMIC_DISPATCH(TreeKernels)();
  return kernels;
}

}  // namespace sstable

#endif  // HWY_ONCE
