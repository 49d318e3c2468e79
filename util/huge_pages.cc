#include "util/huge_pages.h"

#include <cstdint>
#include <limits>
#include <new>

#include "util/system.h"

namespace sstable {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kCacheLine = 64;
constexpr size_t kMaxSize = std::numeric_limits<std::ptrdiff_t>::max() - kHugePage;

}  // namespace

void* AllocateInHugePages(size_t count, size_t size) {
  if (count > kMaxSize / size) throw std::bad_alloc();
  const size_t bytes = count * size;
  const bool is_large = bytes >= kHugePage;
  const size_t alignment = is_large ? kHugePage : kCacheLine;
  void* const p = sys::AllocateAligned(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (p == nullptr) throw std::bad_alloc();
  if (is_large) sys::AdviseHugePages(p, bytes);
  return p;
}

void FreeHugePages(void* p) { sys::FreeAligned(p); }

void ReserveInHugePages(size_t size, std::string* s) {
  s->reserve(s->size() + size);
  if (size < 2 * kHugePage) return;
  constexpr uintptr_t kPage = 4096;
  const auto start = reinterpret_cast<uintptr_t>(s->data()) + s->size();
  const uintptr_t first = (start + kPage - 1) / kPage * kPage, end = (start + size) / kPage * kPage;
  sys::AdviseHugePages(reinterpret_cast<void*>(first), end - first);
}

}  // namespace sstable
