#include "table/index/prefix_tree.h"

#include <algorithm>
#include <limits>

namespace sstable {
PrefixTree::PrefixTree(const std::vector<uint64_t>& sorted) : size_(sorted.size()) {
  // Sizes of the layers, rounded up to full nodes; the last layer first.
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
      // A target past all numbers must also lead into the last node.
      layer[below_count - 1] = std::numeric_limits<uint64_t>::max();
    }
    // If a search ends here, the target is past all numbers.
    std::fill(layer + below_count, end, std::numeric_limits<uint64_t>::max());
    below = layer;
    below_count = sizes[i] / kNodeSize;
    end = layer;
  }
}

}  // namespace sstable
