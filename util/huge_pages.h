// Memory for large arrays that are read at random.
#ifndef SSTABLE_UTIL_HUGE_PAGES_H_
#define SSTABLE_UTIL_HUGE_PAGES_H_

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

namespace sstable {

// A standard allocator that asks for huge pages where the array fills some: each read of a table
// index at a random place would otherwise wait for its page to be looked up, too. Asking is all
// it does; the system may have none to give.
template <typename T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <typename U>
  HugePageAllocator(const HugePageAllocator<U>&) {}  // NOLINT: as allocators are

  T* allocate(size_t count) {
    if (count > kMaxSize / sizeof(T)) throw std::bad_alloc();
    const size_t size = count * sizeof(T);
    const bool is_large = size >= kHugePage;
    const size_t alignment = is_large ? kHugePage : kCacheLine;
    void* const p = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (p == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    // Whether it worked is of no matter.
    if (is_large) static_cast<void>(madvise(p, size, MADV_HUGEPAGE));
#endif
    return static_cast<T*>(p);
  }
  void deallocate(T* p, size_t) { std::free(p); }

  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }
  friend bool operator!=(const HugePageAllocator&, const HugePageAllocator&) { return false; }

 private:
  static constexpr size_t kHugePage = size_t{2} << 20;
  static constexpr size_t kCacheLine = 64;
  static constexpr size_t kMaxSize = std::numeric_limits<std::ptrdiff_t>::max() - kHugePage;
};

}  // namespace sstable

#endif  // SSTABLE_UTIL_HUGE_PAGES_H_
