// Memory for large arrays that are read at random.
#ifndef SSTABLE_UTIL_HUGE_PAGES_H_
#define SSTABLE_UTIL_HUGE_PAGES_H_

#include <cstddef>
#include <string>

namespace sstable {

// Allocates memory for `count` objects of `size` bytes; free it with FreeHugePages(). Throws
// std::bad_alloc.
void* AllocateInHugePages(size_t count, size_t size);
void FreeHugePages(void* p);

// Reserves room for `size` bytes after the contents of a string, to be written at random places.
// Requests huge pages if the room fills any.
void ReserveInHugePages(size_t size, std::string* s);

// A standard allocator that requests huge pages for arrays that fill at least one. With small
// pages, each random read of a table index would also wait for a page-table lookup. It is only a
// request; the system may have none.
template <typename T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <typename U>
  HugePageAllocator(const HugePageAllocator<U>&) {}  // implicit, as for other allocators

  T* allocate(size_t count) { return static_cast<T*>(AllocateInHugePages(count, sizeof(T))); }
  void deallocate(T* p, size_t) { FreeHugePages(p); }

  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }
  friend bool operator!=(const HugePageAllocator&, const HugePageAllocator&) { return false; }
};

}  // namespace sstable

#endif  // SSTABLE_UTIL_HUGE_PAGES_H_
