// The searches in PrefixTree and LayeredTree, compiled for each kind of vector unit and chosen at
// their first use.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "table/index/layered_tree.h"
#include "table/index/prefix_tree.h"
#include "util/coding.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "table/index/trees_vector.cc"
#include "hwy/foreach_target.h"  // compiles what follows once for each target
// Must come after foreach_target.h.
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

// PrefixTree.

// Prefetches the records of a node's numbers while the node itself is being loaded.
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

// LayeredTree.

using Layer = LayeredTree::Layer;
using Group = LayeredTree::Group;
using Nodes = LayeredTree::Nodes;

// The state of a search on its way down.
struct Walk {
  const Layer* layer;
  uint64_t target = 0;
  const uint64_t* level = nullptr;  // start of the level that is searched next
  size_t level_nodes = 0;
  size_t place = 0;  // index in that level
  int levels_below = 0;
};

// Masks for the first bytes of two words: all ones in that many bytes.
struct Masks {
  constexpr Masks() {
    for (int size = 0; size <= 16; ++size) {
      words[size][0] = size >= 8 ? ~uint64_t{0} : ~(~uint64_t{0} << (8 * size));
      words[size][1] = size <= 8    ? 0
                       : size == 16 ? ~uint64_t{0}
                                    : ~(~uint64_t{0} << (8 * (size - 8)));
    }
  }
  uint64_t words[17][2] = {};
};
constexpr Masks kMasks;

HWY_INLINE size_t EndOf(const Layer& layer) {
  return layer.is_small ? size_t{layer.first} + layer.count : layer.large.end;
}
HWY_INLINE bool HasGroups(const Layer& layer) {
  return !layer.is_small && layer.large.groups != Layer::kNoGroups;
}

// Returns 0 if the key has the layer's shared bytes; < 0 or > 0 if it is below or above the whole
// layer.
HWY_INLINE int CompareShared(const Nodes& nodes, const Layer& layer, absl::string_view key) {
  const char* const rest = key.data() + layer.start;
  const size_t size = key.size() - layer.start, shared = layer.shared;
  if (HWY_LIKELY(size >= sizeof(layer.words) && shared <= sizeof(layer.words))) {
    const uint64_t* const masks = kMasks.words[shared];
    const uint64_t diff = ((DecodeFixed64(rest) & masks[0]) ^ layer.words[0]) |
                          ((DecodeFixed64(rest + 8) & masks[1]) ^ layer.words[1]);
    if (HWY_LIKELY(diff == 0)) return 0;
  }
  char few[sizeof(layer.words)];
  const char* bytes = few;
  if (shared <= sizeof(few)) {
    EncodeFixed64(few, layer.words[0]);
    EncodeFixed64(few + 8, layer.words[1]);
  } else {
    bytes = nodes.shared + layer.shared_bytes;
  }
  const int order = memcmp(rest, bytes, size < shared ? size : shared);
  return order == 0 && size < shared ? -1 : order;
}

// Enters a layer. Returns the result of CompareShared().
HWY_INLINE int Enter(const Nodes& nodes, absl::string_view key, Walk* walk) {
  const Layer& layer = *walk->layer;
  const int order = CompareShared(nodes, layer, key);
  if (HWY_UNLIKELY(order != 0)) return order;
  const absl::string_view rest = key.substr(size_t{layer.start} + layer.shared);
  walk->target = NumberOf(rest);
  if (layer.is_small) {
    walk->level = layer.few;
    return 0;
  }
  walk->level = nodes.numbers + size_t{layer.large.root} * 8;
  walk->level_nodes = 1;
  walk->place = 0;
  walk->levels_below = layer.count <= 16 ? 0 : (31 - __builtin_clz(layer.count - 1)) / 4;
  return 0;
}

// Searches a node. Returns false if it was in the lowest level.
HWY_INLINE bool Step(Walk* walk) {
  const uint32_t count = walk->layer->count;
  if (count <= 8) {
    walk->place = walk->layer->is_small ? CountBelow<Layer::kFew>(walk->level, walk->target)
                                        : CountBelow<8>(walk->level, walk->target);
    return false;
  }
  const size_t node = walk->place * 16;
  walk->place = node + CountBelow<16>(walk->level + node, walk->target);
  if (walk->levels_below == 0) return false;
  walk->level += walk->level_nodes * 16;
  const int bits = 4 * walk->levels_below--;
  walk->level_nodes = (count + (size_t{1} << bits) - 1) >> bits;
  return true;
}

// After the lowest level: returns true if `*range` is found; otherwise `walk` has the next layer.
HWY_INLINE bool Conclude(const Nodes& nodes, absl::string_view key, Walk* walk, PlaceRange* range) {
  const Layer& layer = *walk->layer;
  if (HWY_UNLIKELY(walk->place >= layer.count)) {
    *range = {EndOf(layer), EndOf(layer)};
    return true;
  }
  const bool is_equal = walk->level[walk->place] == walk->target;
  if (!HasGroups(layer)) {
    const size_t low = layer.first + walk->place;
    *range = {low, low + is_equal};
    return true;
  }
  const Group* const group = nodes.groups + layer.large.groups + walk->place;
  if (!is_equal || (group->layer != 0 && key.size() < size_t{layer.start} + layer.shared + 8)) {
    *range = {group->first, group->first};
    return true;
  }
  if (group->layer == 0) {
    *range = {group->first, group[1].first};
    return true;
  }
  walk->layer = nodes.layers + group->layer;
  return false;
}

HWY_INLINE PlaceRange Outside(const Layer& layer, int order) {
  const size_t place = order < 0 ? layer.first : EndOf(layer);
  return {place, place};
}

PlaceRange Find(const Nodes& nodes, absl::string_view key) {
  Walk walk = {nodes.layers};
  PlaceRange range;
  do {
    const int order = Enter(nodes, key, &walk);
    if (HWY_UNLIKELY(order != 0)) return Outside(*walk.layer, order);
    while (Step(&walk)) {
    }
  } while (!Conclude(nodes, key, &walk, &range));
  return range;
}

void FindMany(const Nodes& nodes, const absl::string_view* keys, size_t count, PlaceRange* ranges) {
  Walk walks[LayeredTree::kMaxBatch];
  uint8_t in_layer[LayeredTree::kMaxBatch], in_level[LayeredTree::kMaxBatch];
  for (size_t i = 0; i < count; ++i) {
    walks[i].layer = nodes.layers;
    in_layer[i] = static_cast<uint8_t>(i);
  }
  while (count > 0) {
    size_t entered = 0;
    for (size_t i = 0; i < count; ++i) {
      const uint8_t lane = in_layer[i];
      Walk& walk = walks[lane];
      const int order = Enter(nodes, keys[lane], &walk);
      if (HWY_UNLIKELY(order != 0)) {
        ranges[lane] = Outside(*walk.layer, order);
        continue;
      }
      __builtin_prefetch(walk.level);
      __builtin_prefetch(walk.level + 8);
      in_level[entered] = in_layer[entered] = lane;
      ++entered;
    }
    for (size_t left = entered; left > 0;) {
      size_t below = 0;
      for (size_t i = 0; i < left; ++i) {
        const uint8_t lane = in_level[i];
        Walk& walk = walks[lane];
        if (Step(&walk)) {
          __builtin_prefetch(walk.level + walk.place * 16);
          __builtin_prefetch(walk.level + walk.place * 16 + 8);
          in_level[below++] = lane;
        } else if (HasGroups(*walk.layer)) {
          __builtin_prefetch(nodes.groups + walk.layer->large.groups + walk.place);
        }
      }
      left = below;
    }
    count = 0;
    for (size_t i = 0; i < entered; ++i) {
      const uint8_t lane = in_layer[i];
      Walk& walk = walks[lane];
      if (Conclude(nodes, keys[lane], &walk, &ranges[lane])) continue;
      __builtin_prefetch(walk.layer);
      in_layer[count++] = lane;
    }
  }
}

LayeredTree::Kernels LayeredKernels() { return {&Find, &FindMany}; }

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

HWY_EXPORT(LayeredKernels);

const LayeredTree::Kernels& LayeredTree::PortableKernels() {
  static const Kernels kernels = HWY_STATIC_DISPATCH(LayeredKernels)();
  return kernels;
}

const LayeredTree::Kernels& LayeredTree::BestKernels() {
  static const Kernels kernels = HWY_DYNAMIC_DISPATCH(LayeredKernels)();
  return kernels;
}

}  // namespace sstable

#endif  // HWY_ONCE
