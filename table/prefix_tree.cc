#include "table/prefix_tree.h"

#include <algorithm>
#include <limits>

namespace sstable {
namespace {

// Without vectors: four halvings, by conditional moves.
size_t CountBelow(const uint64_t* node, uint64_t target) {
  size_t count = 0;
  for (size_t step = PrefixTree::kNodeSize / 2; step > 0; step /= 2) {
    count += node[count + step - 1] < target ? step : 0;
  }
  return count + (node[count] < target ? 1 : 0);
}

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
  for (size_t i = 0; i < count; ++i) places[i] = Descend(layers, depth, targets[i]);
}

}  // namespace

const PrefixTreeKernels kPortablePrefixTreeKernels = {&Descend, &DescendMany};

PrefixTree::PrefixTree(const std::vector<uint64_t>& sorted) : size_(sorted.size()) {
  descend_ = BestPrefixTreeKernels().descend;
  descend_many_ = BestPrefixTreeKernels().descend_many;
  // Sizes of the layers, the last one first, in whole nodes.
  size_t sizes[kMaxDepth];
  size_t total = 0;
  for (size_t count = sorted.size();; count = sizes[depth_ - 1] / kNodeSize) {
    const size_t nodes = std::max<size_t>(1, (count + kNodeSize - 1) / kNodeSize);
    sizes[depth_++] = nodes * kNodeSize;
    total += nodes * kNodeSize;
    if (nodes == 1) break;
  }
  storage_.resize(total);
  uint64_t* end = storage_.data() + total;
  const uint64_t* below = sorted.data();
  size_t below_count = sorted.size();
  for (int i = 0; i < depth_; ++i) {
    uint64_t* const layer = end - sizes[i];
    layers_[depth_ - 1 - i] = layer;
    if (i == 0) {
      std::copy_n(below, below_count, layer);
    } else {  // the last number of each node below
      for (size_t n = 0; n < below_count; ++n) layer[n] = below[n * kNodeSize + kNodeSize - 1];
      // A target past every number must still lead into the last node.
      layer[below_count - 1] = std::numeric_limits<uint64_t>::max();
    }
    // What a search finds here is past every number.
    std::fill(layer + below_count, end, std::numeric_limits<uint64_t>::max());
    below = layer;
    below_count = sizes[i] / kNodeSize;
    end = layer;
  }
}

}  // namespace sstable
