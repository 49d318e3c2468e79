#include "table/layered_tree.h"

#include <algorithm>
#include <limits>

#include "table/prefix_tree.h"
#include "util/bytes.h"

namespace sstable {
namespace {

constexpr size_t kFewestKeys = 4;  // of a layer; of fewer, whole keys are compared
constexpr uint64_t kPastAll = std::numeric_limits<uint64_t>::max();

}  // namespace

class LayeredTree::Maker {
 public:
  Maker(LayeredTree* tree, absl::FunctionRef<absl::string_view(size_t)> key)
      : tree_(*tree), key_(key) {}

  // Layers are made in the order of their numbers; each leaves others behind it to be made.
  void MakeAll(size_t count) {
    NewLayer(0, count, 0);
    for (size_t i = 0; i < tree_.layers_.size(); ++i) MakeLayer(i);
  }

 private:
  // Of the keys [first, end), which have at least `start` bytes and share those. Returns its
  // number.
  uint32_t NewLayer(size_t first, size_t end, size_t start) {
    Layer& layer = tree_.layers_.emplace_back();
    layer.first = static_cast<uint32_t>(first);
    layer.end = static_cast<uint32_t>(end);
    layer.start = static_cast<uint32_t>(start);
    return static_cast<uint32_t>(tree_.layers_.size() - 1);
  }

  void MakeLayer(size_t i) {
    Layer layer = tree_.layers_[i];
    if (layer.first < layer.end) FindShared(&layer);  // a tree may have no keys
    FindNumbers(layer);
    layer.count = static_cast<uint32_t>(numbers_.size());
    AddNumbers(&layer);
    if (layer.count < layer.end - layer.first) AddGroups(&layer);
    tree_.layers_[i] = layer;
  }

  // What the first and the last share, all share. If keys are long enough, 8 bytes remain, so that
  // one load gets them.
  void FindShared(Layer* layer) {
    const absl::string_view first = key_(layer->first).substr(layer->start);
    const absl::string_view last = key_(layer->end - 1).substr(layer->start);
    const size_t size = std::max(first.size(), last.size());
    const size_t shared = std::min(CommonPrefixSize(first, last), size - std::min<size_t>(size, 8));
    layer->shared = static_cast<uint32_t>(shared);
    if (shared > sizeof(layer->words)) {
      layer->shared_bytes = static_cast<uint32_t>(tree_.shared_.size());
      tree_.shared_.append(first.data(), shared);
      return;
    }
    std::copy_n(first.data(), shared, reinterpret_cast<char*>(layer->words));
    std::fill_n(reinterpret_cast<char*>(layer->masks), shared, '\xff');
  }

  void FindNumbers(const Layer& layer) {
    numbers_.clear();
    firsts_.clear();
    const size_t at = size_t{layer.start} + layer.shared;
    for (uint32_t i = layer.first; i < layer.end; ++i) {
      const uint64_t number = NumberOf(key_(i).substr(at));
      if (!numbers_.empty() && number == numbers_.back()) continue;
      numbers_.push_back(number);
      firsts_.push_back(i);
    }
    firsts_.push_back(layer.end);
  }

  // As in a PrefixTree, but the root first, and a single node can have 8.
  void AddNumbers(Layer* layer) {
    layer->root = static_cast<uint32_t>(tree_.numbers_.size() / 8);
    if (layer->count <= 8) {
      AddLevel(1, 8);
      return;
    }
    size_t step = 1;  // how many numbers a number of the root stands for
    while (step * 16 < layer->count) step *= 16;
    for (; step > 0; step /= 16) AddLevel(step, 16);
  }

  // The last of each `step` numbers, filled up with all ones. In an inner level these also stand in
  // place of the very last number, since a target past all must lead into the last node, too.
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
    layer->groups = static_cast<uint32_t>(tree_.groups_.size());
    const size_t next_start = size_t{layer->start} + layer->shared + 8;
    for (size_t i = 0; i + 1 < firsts_.size(); ++i) {
      const bool is_layer = firsts_[i + 1] - firsts_[i] >= kFewestKeys &&
                            AreLong(firsts_[i], firsts_[i + 1], next_start);
      const uint32_t below = is_layer ? NewLayer(firsts_[i], firsts_[i + 1], next_start) : 0;
      tree_.groups_.push_back({firsts_[i], below});
    }
    tree_.groups_.push_back({layer->end, 0});
  }

  // Whether the 8 bytes of the number are all there. Only then equal numbers are equal bytes.
  bool AreLong(size_t first, size_t end, size_t size) {
    for (size_t i = first; i < end; ++i) {
      if (key_(i).size() < size) return false;
    }
    return true;
  }

  LayeredTree& tree_;
  absl::FunctionRef<absl::string_view(size_t)> key_;
  // Of the layer that is being made: its different numbers, and the first key of each, with the
  // end.
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
