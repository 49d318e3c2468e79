// Finds an internal key in a list of keys in memory.
#ifndef SSTABLE_DB_KEY_SEARCH_H_
#define SSTABLE_DB_KEY_SEARCH_H_

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "table/block/key_order.h"
#include "table/index/layered_tree.h"

namespace sstable {

// Ownership: borrows `order`. Keeps only a search tree over the keys, so the caller passes the keys
// again to each search.
class KeySearch {
 public:
  KeySearch() = default;  // has no keys
  // `count` keys, in order; some may be equal.
  KeySearch(const KeyOrder* order, size_t count,
            absl::FunctionRef<absl::string_view(size_t)> key_at)
      : order_(order),
        count_(count),
        has_tree_(count > 0 && order->shape() == KeyOrder::Shape::kInternalBytewise) {
    if (!has_tree_) return;
    tree_ = LayeredTree(count, [&](size_t i) { return ExtractUserKey(key_at(i)); });
  }

  // Returns the index of the first key that is not below `key`, or the number of keys if there is
  // none.
  template <typename KeyAt>
  size_t Find(const LookupKey& key, KeyAt key_at) const {
    PlaceRange range = has_tree_ ? tree_.Find(key.user_key) : PlaceRange{0, count_};
    while (range.low < range.high) {
      const size_t middle = range.low + (range.high - range.low) / 2;
      if (order_->Compare(key_at(middle), key) < 0) {
        range.low = middle + 1;
      } else {
        range.high = middle;
      }
    }
    return range.low;
  }

 private:
  const KeyOrder* order_ = nullptr;
  size_t count_ = 0;
  bool has_tree_ = false;
  LayeredTree tree_;
};

}  // namespace sstable

#endif  // SSTABLE_DB_KEY_SEARCH_H_
