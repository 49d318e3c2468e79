// Counts the calls of `new`, realloc() and aligned_alloc() in tests that link this, and the memory
// that they allocate. Can also make them fail. (zstd, zlib and snappy use malloc(), which is not
// counted.)
#ifndef SSTABLE_TESTS_SUPPORT_ALLOCATIONS_H_
#define SSTABLE_TESTS_SUPPORT_ALLOCATIONS_H_

#include <cstddef>
#include <cstdint>

namespace sstable::test {

// Counts in all threads from its construction. Only one may exist at a time.
class AllocationCounter {
 public:
  AllocationCounter();

  uint64_t count() const;
  size_t largest() const;  // size of the largest request in bytes
  int64_t peak() const;    // most bytes in use at one time, beyond those in use at its construction
};

// During its lifetime, the request after `requests_before` others fails, in whichever thread; if
// `stays`, all later ones fail, too. Only one may exist at a time.
class FailingAllocation {
 public:
  explicit FailingAllocation(uint64_t requests_before, bool stays = false);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  // Ends the failures.
  void End();
  // Returns true if the failing request was reached.
  bool happened() const;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_ALLOCATIONS_H_
