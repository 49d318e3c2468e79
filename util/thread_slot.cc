#include "util/thread_slot.h"

#include <mutex>
#include <vector>

namespace sstable {
namespace {

// std::mutex, not absl::Mutex: ThreadSanitizer does not see the packaged Abseil's.
struct SlotPool {
  std::mutex mutex;
  std::vector<bool> taken;

  size_t Take() {
    const std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < taken.size(); ++i) {
      if (!taken[i]) {
        taken[i] = true;
        return i;
      }
    }
    taken.push_back(true);
    return taken.size() - 1;
  }

  void Give(size_t slot) {
    const std::lock_guard<std::mutex> lock(mutex);
    taken[slot] = false;
  }
};

SlotPool& Pool() {
  static auto* pool = new SlotPool;  // outlives every thread
  return *pool;
}

// The slot for destructors that run after the thread's own slot was released. Several ending
// threads may share it.
constexpr size_t kEndedThreadSlot = internal::kNoThreadSlot - 1;

struct OwnedSlot {
  const size_t value = Pool().Take();
  ~OwnedSlot() {
    internal::thread_slot = kEndedThreadSlot;
    Pool().Give(value);
  }
};

}  // namespace

size_t internal::TakeThreadSlot() {
  thread_local const OwnedSlot slot;
  thread_slot = slot.value;
  return slot.value;
}

}  // namespace sstable
