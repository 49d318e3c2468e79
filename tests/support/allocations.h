// Counts calls of `new`, realloc() and aligned_alloc() in tests that link this, and their memory,
// and can make them fail. (zstd, zlib and snappy use malloc(), which is not counted.)
#ifndef SSTABLE_TESTS_SUPPORT_ALLOCATIONS_H_
#define SSTABLE_TESTS_SUPPORT_ALLOCATIONS_H_

#include <cstddef>
#include <cstdint>

namespace sstable::test {

// Counts since its construction, in all threads. Only one at a time.
class AllocationCounter {
 public:
  AllocationCounter();

  uint64_t count() const;
  size_t largest() const;  // size of the largest request in bytes
  int64_t peak() const;    // most bytes in use at once, beyond those at its construction
};

// During its lifetime, one request, in any thread, fails: the one after `requests_before` others,
// and with `stays` all later ones. Only one at a time.
class FailingAllocation {
 public:
  explicit FailingAllocation(uint64_t requests_before, bool stays = false);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  // From here on, nothing fails.
  void End();
  // True if that request was reached.
  bool happened() const;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_ALLOCATIONS_H_
