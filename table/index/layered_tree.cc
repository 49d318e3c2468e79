#include "table/index/layered_tree.h"

#include <algorithm>
#include <limits>

#include "table/index/prefix_tree.h"
#include "util/bytes.h"
#include "util/coding.h"

namespace sstable {
namespace {

constexpr uint64_t kPastAll = std::numeric_limits<uint64_t>::max();

}  // namespace

class LayeredTree::Maker {
 public:
  Maker(LayeredTree* tree, absl::FunctionRef<absl::string_view(size_t)> key)
      : tree_(*tree), key_(key) {}

  // Builds the layers in order. Each may append further layers to be built.
  void MakeAll(size_t count) {
    NewLayer(0, count, 0);
    for (size_t i = 0; i < tree_.layers_.size(); ++i) {
      if (!tree_.layers_[i].is_small) MakeLarge(i);
    }
  }

 private:
  // Adds a layer for the keys [first, end), whose first `start` bytes are the same. Returns its
  // number.
  uint32_t NewLayer(size_t first, size_t end, size_t start) {
    Layer layer;
    layer.start = static_cast<uint32_t>(start);
    layer.first = static_cast<uint32_t>(first);
    layer.large.end = static_cast<uint32_t>(end);
    tree_.layers_.push_back(layer);
    return static_cast<uint32_t>(tree_.layers_.size() - 1);
  }

  void MakeLarge(size_t i) {
    Layer layer = tree_.layers_[i];
    const uint32_t end = layer.large.end;
    if (layer.first < end) FindShared(end, &layer);  // a tree may have no keys
    FindNumbers(layer, end);
    layer.count = static_cast<uint32_t>(numbers_.size());
    AddNumbers(&layer);
    layer.large.groups = Layer::kNoGroups;
    if (layer.count < end - layer.first) AddGroups(&layer);
    tree_.layers_[i] = layer;
  }

  // Adds a layer for a few keys. Returns 0 if their numbers are not all different.
  uint32_t NewSmallLayer(size_t first, size_t end, size_t start) {
    Layer layer;
    layer.start = static_cast<uint32_t>(start);
    layer.first = static_cast<uint32_t>(first);
    layer.count = static_cast<uint32_t>(end - first);
    layer.is_small = true;
    FindShared(end, &layer);
    const size_t at = start + layer.shared;
    for (size_t i = 0; i < Layer::kFew; ++i) {
      layer.few[i] = first + i < end ? NumberOf(key_(first + i).substr(at)) : kPastAll;
      if (i > 0 && first + i < end && layer.few[i] == layer.few[i - 1]) return 0;
    }
    tree_.layers_.push_back(layer);
    return static_cast<uint32_t>(tree_.layers_.size() - 1);
  }

  // Finds the shared bytes. Keys are sorted, so whatever the first and the last one share, all
  // share. If keys are long enough, leaves 8 bytes after the shared ones, so that one load reads
  // the number.
  void FindShared(size_t end, Layer* layer) {
    const absl::string_view first = key_(layer->first).substr(layer->start);
    const absl::string_view last = key_(end - 1).substr(layer->start);
    const size_t size = std::max(first.size(), last.size());
    const size_t shared = std::min({CommonPrefixSize(first, last), size - std::min<size_t>(size, 8),
                                    size_t{std::numeric_limits<uint16_t>::max()}});
    layer->shared = static_cast<uint16_t>(shared);
    if (shared <= sizeof(layer->words)) {
      char bytes[sizeof(layer->words)] = {};
      std::copy_n(first.data(), shared, bytes);
      layer->words[0] = DecodeFixed64(bytes);
      layer->words[1] = DecodeFixed64(bytes + 8);
    } else {
      layer->shared_bytes = static_cast<uint32_t>(tree_.shared_.size());
      tree_.shared_.append(first.data(), shared);
    }
  }

  void FindNumbers(const Layer& layer, size_t end) {
    numbers_.clear();
    firsts_.clear();
    const size_t at = size_t{layer.start} + layer.shared;
    for (size_t i = layer.first; i < end; ++i) {
      const uint64_t number = NumberOf(key_(i).substr(at));
      if (!numbers_.empty() && number == numbers_.back()) continue;
      numbers_.push_back(number);
      firsts_.push_back(static_cast<uint32_t>(i));
    }
    firsts_.push_back(static_cast<uint32_t>(end));
  }

  // Stores the numbers as a PrefixTree does, but with the root first, and with only 8 in a single
  // node if they fit.
  void AddNumbers(Layer* layer) {
    layer->large.root = static_cast<uint32_t>(tree_.numbers_.size() / 8);
    if (layer->count <= 8) {
      AddLevel(1, 8);
      return;
    }
    size_t step = 1;  // how many numbers each number of the root stands for
    while (step * 16 < layer->count) step *= 16;
    for (; step > 0; step /= 16) AddLevel(step, 16);
  }

  // Adds a level of every `step`th number, padded with all ones. An inner level has padding in
  // place of the last number, since a target past all numbers must also lead into the last node.
  void AddLevel(size_t step, size_t node_size) {
    const size_t end = step == 1 ? numbers_.size() : numbers_.size() - 1;
    const size_t size = (numbers_.size() + step - 1) / step;
    const size_t nodes = std::max<size_t>(1, (size + node_size - 1) / node_size);
    const size_t start = tree_.numbers_.size();
    tree_.numbers_.resize(start + nodes * node_size, kPastAll);
    for (size_t n = 0, i = step - 1; i < end; ++n, i += step)
      tree_.numbers_[start + n] = numbers_[i];
  }

  void AddGroups(Layer* layer) {
    layer->large.groups = static_cast<uint32_t>(tree_.groups_.size());
    const size_t start = size_t{layer->start} + layer->shared + 8;
    for (size_t i = 0; i + 1 < firsts_.size(); ++i) {
      tree_.groups_.push_back({firsts_[i], LayerBelow(firsts_[i], firsts_[i + 1], start)});
    }
    tree_.groups_.push_back({layer->large.end, 0});
  }

  // Returns the layer for keys with the same number, or 0 if full keys have to be compared.
  uint32_t LayerBelow(size_t first, size_t end, size_t start) {
    if (end - first == 1 || !AreLong(first, end, start)) return 0;
    return end - first <= Layer::kFew ? NewSmallLayer(first, end, start)
                                      : NewLayer(first, end, start);
  }

  // Returns true if all keys have 8 bytes for the number. Only then do equal numbers mean equal
  // bytes.
  bool AreLong(size_t first, size_t end, size_t size) {
    for (size_t i = first; i < end; ++i) {
      if (key_(i).size() < size) return false;
    }
    return true;
  }

  LayeredTree& tree_;
  absl::FunctionRef<absl::string_view(size_t)> key_;
  // For the layer that is being built: its distinct numbers, and the first key of each, followed by
  // the end.
  std::vector<uint64_t> numbers_;
  std::vector<uint32_t> firsts_;
};

LayeredTree::LayeredTree(size_t count, absl::FunctionRef<absl::string_view(size_t)> key) {
  Maker(this, key).MakeAll(count);
  layers_.shrink_to_fit();
  numbers_.shrink_to_fit();
  groups_.shrink_to_fit();
}

}  // namespace sstable
