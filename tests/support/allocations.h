// Counts what is taken with `new`, realloc() and aligned_alloc(), in tests that link this. (What
// zstd, zlib and snappy take with malloc() is not counted.)
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

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_ALLOCATIONS_H_
