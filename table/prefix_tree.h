// A static search tree over sorted 64-bit numbers, for the index.
//
// The numbers stand in nodes of 16, two cache lines. Above each layer stands one with the last number
// of each node, until one node is left: five layers reach a million numbers. A search compares all of a
// node at once, so it costs a few vector instructions and at most two cache misses a layer. After
// "static B-trees" as described by S. Slotin, Algorithmica.
#ifndef SSTABLE_TABLE_PREFIX_TREE_H_
#define SSTABLE_TABLE_PREFIX_TREE_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace sstable {

// Threads: immutable.
class PrefixTree {
 public:
  static constexpr size_t kNodeSize = 16;
  static constexpr int kMaxDepth = 16;  // 16^16 numbers

  PrefixTree() = default;
  // `sorted`, none of them falling.
  explicit PrefixTree(const std::vector<uint64_t>& sorted);

  size_t size() const { return size_; }
  uint64_t operator[](size_t i) const { return layers_[depth_ - 1][i]; }

  // The place of the first number that is not below `target`; size() if there is none.
  size_t LowerBound(uint64_t target) const {
    const size_t i = descend_(layers_, depth_, target);
    return i < size_ ? i : size_;
  }

  // The same, step by step, for several searches side by side: from node `node` of layer `layer` (the
  // first is node 0 of layer 0) to the node in the next; in the last layer, the place.
  int depth() const { return depth_; }
  const uint64_t* Node(int layer, size_t node) const {
    return layers_[layer] + node * kNodeSize;
  }
  size_t Step(int layer, size_t node, uint64_t target) const {
    return node * kNodeSize + count_below_(Node(layer, node), target);
  }

  // Bytes of memory.
  size_t memory_size() const { return memory_size_; }

 private:
  struct Free {
    void operator()(uint64_t* p) const { std::free(p); }
  };

  size_t (*descend_)(const uint64_t* const* layers, int depth, uint64_t target) = nullptr;
  size_t (*count_below_)(const uint64_t* node, uint64_t target) = nullptr;
  size_t size_ = 0;
  int depth_ = 0;
  const uint64_t* layers_[kMaxDepth] = {};  // the root's first
  std::unique_ptr<uint64_t[], Free> storage_;
  size_t memory_size_ = 0;
};

// The two forms of the search.
struct PrefixTreeKernels {
  size_t (*descend)(const uint64_t* const* layers, int depth, uint64_t target);
  size_t (*count_below)(const uint64_t* node, uint64_t target);
};
extern const PrefixTreeKernels kPortablePrefixTreeKernels;
const PrefixTreeKernels& BestPrefixTreeKernels();

}  // namespace sstable

#endif  // SSTABLE_TABLE_PREFIX_TREE_H_
