// A small number for each running thread, so that per-thread counters need no atomic addition.
#ifndef SSTABLE_UTIL_THREAD_SLOT_H_
#define SSTABLE_UTIL_THREAD_SLOT_H_

#include <cstddef>

namespace sstable {

// A number that no other running thread has: the lowest free when the thread first asks, free again
// when it ends. Whatever one owner of a number wrote, the next one sees.
size_t ThreadSlot();

}  // namespace sstable

#endif  // SSTABLE_UTIL_THREAD_SLOT_H_
