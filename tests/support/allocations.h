// Counts what is taken with `new`, realloc() and aligned_alloc(), in tests that link this, and lets
// it fail. (What zstd, zlib and snappy take with malloc() is not counted.)
#ifndef SSTABLE_TESTS_SUPPORT_ALLOCATIONS_H_
#define SSTABLE_TESTS_SUPPORT_ALLOCATIONS_H_

#include <cstddef>
#include <cstdint>

namespace sstable::test {

// Since the object was made, by every thread. One at a time.
class AllocationCounter {
 public:
  AllocationCounter();

  uint64_t count() const;
  size_t largest() const;  // bytes of the largest single request
};

// While it lives, one request of all threads fails: that which has `requests_before` others before
// it, and with `stays` all that follow it. One at a time.
class FailingAllocation {
 public:
  explicit FailingAllocation(uint64_t requests_before, bool stays = false);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  // From here on nothing fails.
  void End();
  // Whether it has come to that request.
  bool happened() const;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_ALLOCATIONS_H_
