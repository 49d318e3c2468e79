// The search in a PrefixTree, compiled for each kind of vector unit and chosen at its first use.
#include "table/index/prefix_tree.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "table/index/prefix_tree_vector.cc"
#include "hwy/foreach_target.h"  // compiles what follows once for each target
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "table/index/tree_node-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sstable {
namespace HWY_NAMESPACE {

// Those of a node's numbers, while the node itself is waited for.
HWY_INLINE void PrefetchRecords(const char* records, size_t place) {
  constexpr size_t kSize = PrefixTree::kNodeSize * PrefixTree::kRecordSize, kCacheLine = 64;
  const char* const start = records + place * PrefixTree::kRecordSize;
  for (size_t i = 0; i < kSize; i += kCacheLine) __builtin_prefetch(start + i);
}

size_t Descend(const uint64_t* const* layers, int depth, uint64_t target) {
  size_t place = 0;
  for (int layer = 0; layer < depth; ++layer) {
    place *= PrefixTree::kNodeSize;
    place += CountBelow<PrefixTree::kNodeSize>(layers[layer] + place, target);
  }
  return place;
}

size_t DescendAndPrefetch(const uint64_t* const* layers, int depth, uint64_t target,
                          const char* records) {
  const int last = depth - 1;
  const size_t node = Descend(layers, last, target) * PrefixTree::kNodeSize;
  PrefetchRecords(records, node);
  return node + CountBelow<PrefixTree::kNodeSize>(layers[last] + node, target);
}

void DescendMany(const uint64_t* const* layers, int depth, const uint64_t* targets, size_t count,
                 size_t* places) {
  for (size_t i = 0; i < count; ++i) places[i] = 0;
  for (int layer = 0; layer < depth; ++layer) {
    for (size_t i = 0; i < count; ++i) {
      const size_t node = places[i] * PrefixTree::kNodeSize;
      places[i] = node + CountBelow<PrefixTree::kNodeSize>(layers[layer] + node, targets[i]);
      if (layer + 1 < depth) {
        const uint64_t* const next = layers[layer + 1] + places[i] * PrefixTree::kNodeSize;
        __builtin_prefetch(next);
        __builtin_prefetch(next + PrefixTree::kNodeSize / 2);
      }
    }
  }
}

PrefixTreeKernels TreeKernels() { return {&Descend, &DescendAndPrefetch, &DescendMany}; }

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
