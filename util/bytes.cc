#include "util/bytes.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace sstable {

// By realloc(), which moves pages of large buffers instead of their bytes.
void ByteBuffer::Grow(size_t room) {
  const size_t capacity = std::max(size_ + room, 2 * capacity_);
  void* const data = std::realloc(data_.get(), capacity);
  if (data == nullptr) throw std::bad_alloc();
  static_cast<void>(data_.release());
  data_.reset(static_cast<char*>(data));
  capacity_ = capacity;
}

}  // namespace sstable
