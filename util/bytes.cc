#include "util/bytes.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace sstable {

// realloc() moves the pages of a large buffer instead of copying its bytes.
void ByteBuffer::Grow(size_t room) {
  const size_t capacity = std::max(size_ + room, 2 * capacity_);
  void* const data = std::realloc(data_.get(), capacity);
  if (data == nullptr) throw std::bad_alloc();
  static_cast<void>(data_.release());
  data_.reset(static_cast<char*>(data));
  capacity_ = capacity;
}

}  // namespace sstable
