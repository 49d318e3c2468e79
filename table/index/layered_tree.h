// A search tree over sorted keys, many of which share long parts: paths, URLs, composite keys.
//
// A layer records at which byte of the key it starts and which bytes all its keys share there, and
// searches the next 8 bytes as numbers, like PrefixTree. Keys with the same number form another
// layer, which starts after those 8 bytes. So each byte of the target is compared only once, on the
// way down, and no key of the tree is read. Modelled on the layers of Masstree (Mao, Kohler,
// Morris: "Cache craftiness for fast multicore key-value storage", 2012); shared bytes are skipped
// as in a Patricia tree.
#ifndef SSTABLE_TABLE_INDEX_LAYERED_TREE_H_
#define SSTABLE_TABLE_INDEX_LAYERED_TREE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "util/huge_pages.h"

namespace sstable {

// Bounds of the index of the first key that is not below the target: it is `low` to `high`,
// inclusive. `high` may be past the last key.
struct PlaceRange {
  size_t low;
  size_t high;
};

// Threads: immutable.
class LayeredTree {
 public:
  LayeredTree() = default;  // must not be searched
  // Builds a tree over `count` keys in bytewise order, some of which may be equal. The keys are
  // read only here. Takes 8 to 32 bytes per key, but 160 if each key extends the one before it.
  LayeredTree(size_t count, absl::FunctionRef<absl::string_view(size_t)> key);

  PlaceRange Find(absl::string_view key) const { return kernels_.find(nodes(), key); }
  // Find() for `count` keys, at most kMaxBatch, side by side, so that their cache misses overlap.
  static constexpr size_t kMaxBatch = 32;
  void FindMany(const absl::string_view* keys, size_t count, PlaceRange* ranges) const {
    kernels_.find_many(nodes(), keys, count, ranges);
  }

  size_t memory_size() const {
    return layers_.size() * sizeof(Layer) + numbers_.size() * sizeof(uint64_t) +
           groups_.size() * sizeof(Group) + shared_.size();
  }

  // One cache line. The layer's keys start with key `first`.
  struct Layer {
    static constexpr size_t kFew = 4;
    static constexpr uint32_t kNoGroups = UINT32_MAX;

    uint32_t start = 0;  // at which byte of the key it starts
    uint32_t first = 0;
    uint32_t count = 0;   // number of distinct numbers
    uint16_t shared = 0;  // how many bytes all its keys share there; the number follows them
    bool is_small = false;
    union {
      uint64_t words[2] = {};  // the shared bytes, little-endian, then zeros; if they don't fit:
      uint32_t shared_bytes;   // where they start in shared_
    };
    union {
      uint64_t few[kFew] = {};  // in small layers: the numbers, then all ones
      struct {
        uint32_t end;     // where its keys end
        uint32_t root;    // where its numbers start, in units of 8
        uint32_t groups;  // the group of its first number; kNoGroups: each number has one key
      } large;
    };
  };
  static_assert(sizeof(Layer) == 64, "a cache line");

  // The keys of one number: from `first` to the next group's `first`. An extra group after the last
  // one of a layer marks its end.
  struct Group {
    uint32_t first;
    uint32_t layer;  // 0: none; full keys have to be compared
  };

  // The arrays that a search reads.
  struct Nodes {
    const Layer* layers;
    const uint64_t* numbers;
    const Group* groups;
    const char* shared;
  };

  struct Kernels {
    PlaceRange (*find)(const Nodes& nodes, absl::string_view key);
    void (*find_many)(const Nodes& nodes, const absl::string_view* keys, size_t count,
                      PlaceRange* ranges);
  };
  static const Kernels& PortableKernels();
  static const Kernels& BestKernels();

  Nodes nodes() const { return {layers_.data(), numbers_.data(), groups_.data(), shared_.data()}; }

 private:
  class Maker;

  Kernels kernels_ = BestKernels();
  std::vector<Layer, HugePageAllocator<Layer>> layers_;
  std::vector<uint64_t, HugePageAllocator<uint64_t>> numbers_;
  std::vector<Group, HugePageAllocator<Group>> groups_;
  std::string shared_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INDEX_LAYERED_TREE_H_
