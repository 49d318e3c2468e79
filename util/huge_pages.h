// Memory for large arrays that are read at random.
#ifndef SSTABLE_UTIL_HUGE_PAGES_H_
#define SSTABLE_UTIL_HUGE_PAGES_H_

#include <cstddef>
#include <cstdlib>
#include <string>

namespace sstable {

// Memory for `count` objects of `size` bytes, to be given to std::free(). Throws std::bad_alloc.
void* AllocateInHugePages(size_t count, size_t size);

// Makes room for `size` bytes after the contents of a string, to be written at random places: asks
// for huge pages if they fill some.
void ReserveInHugePages(size_t size, std::string* s);

// A standard allocator that asks for huge pages where the array fills some: each read of a table
// index at a random place would otherwise wait for its page to be looked up, too. Asking is all
// it does; the system may have none to give.
template <typename T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <typename U>
  HugePageAllocator(const HugePageAllocator<U>&) {}  // NOLINT: as allocators are

  T* allocate(size_t count) { return static_cast<T*>(AllocateInHugePages(count, sizeof(T))); }
  void deallocate(T* p, size_t) { std::free(p); }

  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }
  friend bool operator!=(const HugePageAllocator&, const HugePageAllocator&) { return false; }
};

}  // namespace sstable

#endif  // SSTABLE_UTIL_HUGE_PAGES_H_
