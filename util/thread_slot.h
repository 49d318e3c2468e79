// A small number for each running thread, so that per-thread counters need no atomic
// read-modify-write.
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

// Returns a number that no other running thread has: the lowest that is free at the thread's first
// call. It is freed when the thread ends. Everything that one owner of a number wrote is visible to
// the next. (While a thread destroys its last objects, it may get a number near the highest, which
// it may share.)
inline size_t ThreadSlot() {
  const size_t slot = internal::thread_slot;
  return ABSL_PREDICT_TRUE(slot != internal::kNoThreadSlot) ? slot : internal::TakeThreadSlot();
}

}  // namespace sstable

#endif  // SSTABLE_UTIL_THREAD_SLOT_H_
