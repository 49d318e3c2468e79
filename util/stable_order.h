// A stable sort for code that runs seldom. It is compiled once; std::stable_sort() takes some 3 KB
// of code for each type.
#ifndef SSTABLE_UTIL_STABLE_ORDER_H_
#define SSTABLE_UTIL_STABLE_ORDER_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"

namespace sstable {

// Returns the indices from 0 to `count` - 1 in the order of `is_before`, which compares the items
// at two indices. Items that are equal stay in their order.
std::vector<size_t> StableOrder(size_t count, absl::FunctionRef<bool(size_t, size_t)> is_before);

// Sorts `items` stably.
template <typename T, typename IsBefore>
void SortStably(std::vector<T>* items, const IsBefore& is_before) {
  std::vector<T> sorted;
  sorted.reserve(items->size());
  for (const size_t i : StableOrder(items->size(), [&](size_t a, size_t b) {
         return is_before((*items)[a], (*items)[b]);
       })) {
    sorted.push_back(std::move((*items)[i]));
  }
  *items = std::move(sorted);
}

}  // namespace sstable

#endif  // SSTABLE_UTIL_STABLE_ORDER_H_
