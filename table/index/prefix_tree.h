// A static search tree over sorted 64-bit numbers, for the index.
//
// The numbers are in nodes of 16, two cache lines. The layer above has the last number of each
// node, and so on up to a single node: five layers hold a million numbers. A search compares a
// whole node at once, which costs a few vector instructions and at most two cache misses per layer.
// Modelled on the "static B-trees" of S. Slotin, Algorithmica.
#ifndef SSTABLE_TABLE_INDEX_PREFIX_TREE_H_
#define SSTABLE_TABLE_INDEX_PREFIX_TREE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "util/bytes.h"
#include "util/huge_pages.h"

namespace sstable {

// The first 8 bytes as a number with the same order. Missing bytes count as zeros.
inline uint64_t NumberOf(absl::string_view bytes) {
  if (ABSL_PREDICT_TRUE(bytes.size() >= 8)) return LoadBigEndian64(bytes.data());
  uint64_t number = 0;
  for (size_t i = 0; i < 8; ++i) {
    number = number << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0);
  }
  return number;
}

// The search for one target, and for `count` of them.
struct PrefixTreeKernels {
  size_t (*descend)(const uint64_t* const* layers, int depth, uint64_t target);
  // While it waits for the last node, also prefetches the records of that node's numbers.
  size_t (*descend_and_prefetch)(const uint64_t* const* layers, int depth, uint64_t target,
                                 const char* records);
  void (*descend_many)(const uint64_t* const* layers, int depth, const uint64_t* targets,
                       size_t count, size_t* places);
};
const PrefixTreeKernels& PortablePrefixTreeKernels();
const PrefixTreeKernels& BestPrefixTreeKernels();

// Threads: immutable.
class PrefixTree {
 public:
  static constexpr size_t kNodeSize = 16;
  static constexpr size_t kRecordSize = 32;
  static constexpr int kMaxDepth = 16;  // 16^16 numbers

  PrefixTree() = default;
  // `sorted` may contain equal numbers.
  explicit PrefixTree(const std::vector<uint64_t>& sorted);
  PrefixTree(PrefixTree&&) = default;  // a copy would point into the original
  PrefixTree& operator=(PrefixTree&&) = default;

  size_t size() const { return size_; }
  uint64_t operator[](size_t i) const { return layers_[depth_ - 1][i]; }

  // Returns the index of the first number that is not below `target`; size() if there is none.
  // `records` has kRecordSize bytes for each number. If the tree is large, prefetches the record
  // that the caller will read; those of a small tree are in the processor's cache, as the tree is.
  size_t LowerBound(uint64_t target, const void* records = nullptr) const {
    const bool prefetch = depth_ > 2 && records != nullptr;
    const size_t i = prefetch ? kernels_.descend_and_prefetch(layers_, depth_, target,
                                                              static_cast<const char*>(records))
                              : kernels_.descend(layers_, depth_, target);
    return i < size_ ? i : size_;
  }

  // LowerBound() for `count` targets side by side, so that their cache misses overlap.
  void LowerBounds(const uint64_t* targets, size_t count, size_t* places) const {
    kernels_.descend_many(layers_, depth_, targets, count, places);
    for (size_t i = 0; i < count; ++i) places[i] = places[i] < size_ ? places[i] : size_;
  }

 private:
  PrefixTreeKernels kernels_ = BestPrefixTreeKernels();
  size_t size_ = 0;
  int depth_ = 0;
  const uint64_t* layers_[kMaxDepth] = {};  // the root first
  std::vector<uint64_t, HugePageAllocator<uint64_t>> storage_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INDEX_PREFIX_TREE_H_
