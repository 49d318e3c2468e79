#include "tests/support/allocations.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<uint64_t> request_count{0};
std::atomic<size_t> largest_request{0};
std::atomic<int64_t> used_bytes{0};  // since the AllocationCounter was made
std::atomic<int64_t> most_used_bytes{0};

constexpr uint64_t kNever = UINT64_MAX;
std::atomic<uint64_t> failing_request{kNever};  // counted from FailingAllocation's construction
std::atomic<uint64_t> armed_count{0};           // requests since then
std::atomic<bool> failure_stays{false};
std::atomic<bool> has_failed{false};

// Counts a request. Returns false if it must fail.
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

void CountUsed(int64_t more) {
  const int64_t used = used_bytes += more;
  int64_t most = most_used_bytes;
  while (used > most && !most_used_bytes.compare_exchange_weak(most, used)) {
  }
}

int64_t SizeOf(void* memory) { return static_cast<int64_t>(malloc_usable_size(memory)); }

void* CountedMalloc(size_t size) {
  void* const memory = Count(size) ? std::malloc(size == 0 ? 1 : size) : nullptr;
  CountUsed(SizeOf(memory));
  return memory;
}

}  // namespace

// The linker redirects calls in our own code to these (--wrap).
extern "C" {
void* __real_realloc(void* memory, size_t size);
void* __wrap_realloc(void* memory, size_t size) {
  if (!Count(size)) return nullptr;
  const int64_t old_size = SizeOf(memory);
  void* const moved = __real_realloc(memory, size);
  // realloc() may hold both copies while it moves the bytes.
  if (moved != nullptr) CountUsed(SizeOf(moved));
  if (moved != nullptr) CountUsed(-old_size);
  return moved;
}
void* __real_aligned_alloc(size_t alignment, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  void* const memory = Count(size) ? __real_aligned_alloc(alignment, size) : nullptr;
  CountUsed(SizeOf(memory));
  return memory;
}
void __real_free(void* memory);
void __wrap_free(void* memory) {
  CountUsed(-SizeOf(memory));
  __real_free(memory);
}
}

// The array forms call these.
void* operator new(size_t size) {
  void* const memory = CountedMalloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {  // called by std::stable_sort()
  return CountedMalloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace sstable::test {

AllocationCounter::AllocationCounter() {
  request_count = 0;
  largest_request = 0;
  used_bytes = 0;
  most_used_bytes = 0;
}
uint64_t AllocationCounter::count() const { return request_count; }
size_t AllocationCounter::largest() const { return largest_request; }
int64_t AllocationCounter::peak() const { return most_used_bytes; }

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
