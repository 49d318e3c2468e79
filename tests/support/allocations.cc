#include "tests/support/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<uint64_t> request_count{0};
std::atomic<size_t> largest_request{0};

constexpr uint64_t kNever = UINT64_MAX;
std::atomic<uint64_t> failing_request{kNever};  // its number among the requests since it was set
std::atomic<uint64_t> armed_count{0};           // requests since then
std::atomic<bool> failure_stays{false};
std::atomic<bool> has_failed{false};

// Counts a request. Returns false if it is to fail.
bool Count(size_t size) {
  ++request_count;
  size_t largest = largest_request;
  while (size > largest && !largest_request.compare_exchange_weak(largest, size)) {
  }
  const uint64_t failing = failing_request;
  if (failing == kNever) return true;
  const uint64_t number = armed_count++;
  if (failure_stays ? number < failing : number != failing) return true;
  has_failed = true;
  return false;
}

}  // namespace

// The linker redirects calls in our own code to these (--wrap).
extern "C" {
void* __real_realloc(void* memory, size_t size);
void* __wrap_realloc(void* memory, size_t size) {
  return Count(size) ? __real_realloc(memory, size) : nullptr;
}
void* __real_aligned_alloc(size_t alignment, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  return Count(size) ? __real_aligned_alloc(alignment, size) : nullptr;
}
}

// The array forms call these.
void* operator new(size_t size) {
  void* const memory = Count(size) ? std::malloc(size == 0 ? 1 : size) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {  // called by std::stable_sort()
  return Count(size) ? std::malloc(size == 0 ? 1 : size) : nullptr;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace sstable::test {

AllocationCounter::AllocationCounter() {
  request_count = 0;
  largest_request = 0;
}
uint64_t AllocationCounter::count() const { return request_count; }
size_t AllocationCounter::largest() const { return largest_request; }

FailingAllocation::FailingAllocation(uint64_t requests_before, bool stays) {
  has_failed = false;
  failure_stays = stays;
  armed_count = 0;
  failing_request = requests_before;
}
FailingAllocation::~FailingAllocation() { End(); }
void FailingAllocation::End() { failing_request = kNever; }
bool FailingAllocation::happened() const { return has_failed; }

}  // namespace sstable::test
