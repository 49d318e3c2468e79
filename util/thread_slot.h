// A small number for each running thread, so that per-thread counters need no atomic addition.
#ifndef SSTABLE_UTIL_THREAD_SLOT_H_
#define SSTABLE_UTIL_THREAD_SLOT_H_

#include <cstddef>

#include "absl/base/optimization.h"

namespace sstable {
namespace internal {

inline constexpr size_t kNoThreadSlot = ~size_t{0};

// __thread, not thread_local: it is never initialized dynamically, so reading it is one load.
inline __thread size_t thread_slot = kNoThreadSlot;

size_t TakeThreadSlot();

}  // namespace internal

// A number that no other running thread has: the lowest free when the thread first asks, free again
// when it ends. Whatever one owner of a number wrote, the next one sees. (A thread that is
// destroying its last objects gets a number near the highest, which it may share.)
inline size_t ThreadSlot() {
  const size_t slot = internal::thread_slot;
  return ABSL_PREDICT_TRUE(slot != internal::kNoThreadSlot) ? slot : internal::TakeThreadSlot();
}

}  // namespace sstable

#endif  // SSTABLE_UTIL_THREAD_SLOT_H_
