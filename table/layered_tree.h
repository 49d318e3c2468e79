// A search tree over sorted keys of which many share long parts: paths, URLs, composites.
//
// A layer says at which byte of the key it starts, which bytes all its keys share there, and
// searches the next 8 as numbers, as PrefixTree does. Keys with the same number are another layer,
// which starts behind those 8 bytes. So a key is proved byte by byte only once, on its way down,
// and no key of the tree is read. After the layers of Masstree (Mao, Kohler, Morris: "Cache
// craftiness for fast multicore key-value storage", 2012), with the shared bytes left out as in a
// Patricia tree.
#ifndef SSTABLE_TABLE_LAYERED_TREE_H_
#define SSTABLE_TABLE_LAYERED_TREE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "util/huge_pages.h"

namespace sstable {

// Where the first key not below the one searched for is: at least `low`, at most `high`, which is
// behind `high - 1`. If they are equal, that is its place.
struct PlaceRange {
  size_t low;
  size_t high;
};

// Threads: immutable.
class LayeredTree {
 public:
  LayeredTree() = default;  // not to be searched
  // Of `count` keys in bytewise order, which are read only here; some may be equal. Takes 8 to 32
  // bytes a key, and 160 if each key goes on where the one before it ends.
  LayeredTree(size_t count, absl::FunctionRef<absl::string_view(size_t)> key);

  PlaceRange Find(absl::string_view key) const { return kernels_.find(nodes(), key); }
  // The same for `count` keys, at most kMaxBatch, side by side, so that their cache misses overlap.
  static constexpr size_t kMaxBatch = 32;
  void FindMany(const absl::string_view* keys, size_t count, PlaceRange* ranges) const {
    kernels_.find_many(nodes(), keys, count, ranges);
  }

  size_t memory_size() const {
    return layers_.size() * sizeof(Layer) + numbers_.size() * sizeof(uint64_t) +
           groups_.size() * sizeof(Group) + shared_.size();
  }

  // Its keys are those from `first` on. One cache line.
  struct Layer {
    static constexpr size_t kFew = 4;
    static constexpr uint32_t kNoGroups = UINT32_MAX;

    uint32_t start = 0;  // the byte of the key at which it starts
    uint32_t first = 0;
    uint32_t count = 0;   // of different numbers
    uint16_t shared = 0;  // how many bytes all its keys share there; the number is behind them
    bool is_small = false;
    union {
      uint64_t words[2] = {};  // those bytes, and zeros; if they are more:
      uint32_t shared_bytes;   // where they are
    };
    union {
      uint64_t few[kFew] = {};  // if it is small: its numbers, of a key each, and all ones; else:
      struct {
        uint32_t end;     // its keys end here
        uint32_t root;    // where its numbers start, in units of 8
        uint32_t groups;  // where that of its first number is; kNoGroups: each has one key
      } large;
    };
  };
  static_assert(sizeof(Layer) == 64, "a cache line");

  // The keys of one number: from `first` to the next group's first. Behind a layer's last group
  // there is one that only says where that ends.
  struct Group {
    uint32_t first;
    uint32_t layer;  // 0: none, their whole keys are to be compared
  };

  // What a search uses.
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

#endif  // SSTABLE_TABLE_LAYERED_TREE_H_
