#include "tests/support/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<uint64_t> request_count{0};
std::atomic<size_t> largest_request{0};

void Count(size_t size) {
  ++request_count;
  size_t largest = largest_request;
  while (size > largest && !largest_request.compare_exchange_weak(largest, size)) {
  }
}

}  // namespace

// What calls in our own code become; the linker is told so (--wrap).
extern "C" {
void* __real_realloc(void* memory, size_t size);
void* __wrap_realloc(void* memory, size_t size) {
  Count(size);
  return __real_realloc(memory, size);
}
void* __real_aligned_alloc(size_t alignment, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  Count(size);
  return __real_aligned_alloc(alignment, size);
}
}

// The array forms call these.
void* operator new(size_t size) {
  Count(size);
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
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

}  // namespace sstable::test
