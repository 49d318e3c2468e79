// Helpers for byte ranges: common prefixes, wide copies, and two buffers that never zero-fill.
#ifndef SSTABLE_UTIL_BYTES_H_
#define SSTABLE_UTIL_BYTES_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "util/coding.h"

namespace sstable {

// Wide copies read and write up to this many bytes past the end of the source and the destination.
// Every buffer used with them keeps that much room after its contents.
inline constexpr size_t kCopySlack = 32;

// Returns the number of leading bytes that `a` and `b` have in common. Reads only inside the two
// views.
inline size_t CommonPrefixSize(absl::string_view a, absl::string_view b) {
  const size_t limit = std::min(a.size(), b.size());
  size_t i = 0;
  const auto diff_at = [&](size_t at) {
    return DecodeFixed64(a.data() + at) ^ DecodeFixed64(b.data() + at);
  };
  for (; i + 8 <= limit; i += 8) {
    const uint64_t diff = diff_at(i);
    if (diff != 0) return i + static_cast<size_t>(__builtin_ctzll(diff)) / 8;
  }
  if (i == limit) return limit;
  if (limit >= 8) {  // the last 8 bytes, some of which are known to be equal
    const uint64_t diff = diff_at(limit - 8);
    return diff == 0 ? limit : limit - 8 + static_cast<size_t>(__builtin_ctzll(diff)) / 8;
  }
  while (i < limit && a[i] == b[i]) ++i;
  return i;
}

// CommonPrefixSize() for `limit` bytes of each, in whole words: reads up to 7 bytes past the limit.
inline size_t CommonPrefixSizeWide(const char* a, const char* b, size_t limit) {
  for (size_t i = 0; i < limit; i += 8) {
    const uint64_t diff = DecodeFixed64(a + i) ^ DecodeFixed64(b + i);
    if (diff != 0) return std::min(limit, i + static_cast<size_t>(__builtin_ctzll(diff)) / 8);
  }
  return limit;
}

// Loads 8 bytes as a number that sorts in their bytewise order.
inline uint64_t LoadBigEndian64(const char* bytes) {
  return __builtin_bswap64(DecodeFixed64(bytes));
}

// Bytewise order, like absl::string_view::compare(), without a call.
inline int CompareBytes(absl::string_view a, absl::string_view b) {
  const size_t limit = std::min(a.size(), b.size());
  size_t i = 0;
  if (limit >= 8) {
    for (;; i = std::min(i + 8, limit - 8)) {
      const uint64_t x = LoadBigEndian64(a.data() + i), y = LoadBigEndian64(b.data() + i);
      if (x != y) return x < y ? -1 : 1;
      if (i == limit - 8) break;
    }
  } else {
    for (; i < limit; ++i) {
      if (a[i] != b[i]) {
        return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[i]) ? -1 : 1;
      }
    }
  }
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

// memcpy without a call, for at most kMaxInlineCopy bytes: copies the first and the last 2^n bytes,
// which may overlap each other. Source and destination must not overlap.
inline constexpr size_t kMaxInlineCopy = 128;
template <size_t kBytes>
inline void CopyBothEnds(char* dst, const char* src, size_t size) {
  std::memcpy(dst, src, kBytes);
  std::memcpy(dst + size - kBytes, src + size - kBytes, kBytes);
}
inline void CopyInline(char* dst, const char* src, size_t size) {
  if (size >= 64) return CopyBothEnds<64>(dst, src, size);
  if (size >= 32) return CopyBothEnds<32>(dst, src, size);
  if (size >= 16) return CopyBothEnds<16>(dst, src, size);
  if (size >= 8) return CopyBothEnds<8>(dst, src, size);
  if (size >= 4) return CopyBothEnds<4>(dst, src, size);
  if (size >= 2) return CopyBothEnds<2>(dst, src, size);
  if (size == 1) *dst = *src;
}

// memcpy for sizes that are mostly small.
inline void CopySmall(char* dst, const char* src, size_t size) {
  if (ABSL_PREDICT_FALSE(size > kMaxInlineCopy)) {
    std::memcpy(dst, src, size);
  } else {
    CopyInline(dst, src, size);
  }
}

// value->assign(), without a call, an allocation or a zero-fill if the size stays the same, as it
// often does.
inline void AssignValue(absl::string_view bytes, std::string* value) {
  if (value->size() == bytes.size()) {
    CopySmall(&(*value)[0], bytes.data(), bytes.size());
  } else {
    value->assign(bytes.data(), bytes.size());
  }
}

// Copies `bytes` to `dst` in steps of 32 bytes; kCopySlack bytes must follow source and
// destination.
inline void CopyWide(char* dst, absl::string_view bytes) {
  const char* src = bytes.data();
  size_t i = 0;
  do {
    std::memcpy(dst + i, src + i, kCopySlack);
    i += kCopySlack;
  } while (ABSL_PREDICT_FALSE(i < bytes.size()));
}

// A growable byte buffer that is written through a raw pointer: Reserve room, write, SetSize.
class ByteBuffer {
 public:
  ByteBuffer() = default;
  // The source becomes empty.
  ByteBuffer(ByteBuffer&& other) noexcept { *this = std::move(other); }
  ByteBuffer& operator=(ByteBuffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  const char* data() const { return data_.get(); }
  char* data() { return data_.get(); }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  absl::string_view view() const { return absl::string_view(data_.get(), size_); }

  // Returns the end of the contents, with room for `room` + kCopySlack bytes after it. If the
  // buffer has to grow, pointers into it become invalid.
  char* Reserve(size_t room) {
    if (ABSL_PREDICT_FALSE(capacity_ - size_ < room + kCopySlack)) Grow(room + kCopySlack);
    return data_.get() + size_;
  }

  // Number of bytes that can be written after the contents without growing; kCopySlack more follow.
  size_t room() const { return capacity_ - size_ - (capacity_ == 0 ? 0 : kCopySlack); }

  // Sets the size of the contents, after bytes up to `size` have been written.
  void SetSize(size_t size) {
    assert(size + kCopySlack <= capacity_ || size == size_);
    size_ = size;
  }
  void Clear() { size_ = 0; }

  // Frees unused capacity, if it is an eighth or more. Pointers into the buffer become invalid.
  void Shrink() {
    if (capacity_ - capacity_ / 8 <= size_ + kCopySlack) return;
    ByteBuffer copy;
    copy.Append(view());
    *this = std::move(copy);
  }

  void Append(absl::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(Reserve(bytes.size()), bytes.data(), bytes.size());
    size_ += bytes.size();
  }

 private:
  void Grow(size_t room);

  struct Free {
    void operator()(char* p) const { std::free(p); }
  };

  std::unique_ptr<char, Free> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// Compares the last byte first, since neighbours in key order differ near their ends.
inline bool AreEqualKeys(absl::string_view a, absl::string_view b) {
  return a.size() == b.size() && (a.empty() || (a.back() == b.back() && a == b));
}

// A key being rebuilt from prefix-compressed entries. Short keys stay inside the object.
class KeyBuffer {
  static constexpr size_t kInlineCapacity = 224;

 public:
  KeyBuffer() = default;
  KeyBuffer(const KeyBuffer&) = delete;
  KeyBuffer& operator=(const KeyBuffer&) = delete;

  // kCopySlack readable bytes follow.
  absl::string_view view() const { return absl::string_view(data_, size_); }
  const char* data() const { return data_; }
  char* data() { return data_; }
  size_t size() const { return size_; }

  // The largest size that the contents can have without an allocation.
  size_t room() const { return capacity_ - kCopySlack; }

  // Keeps the first `shared` bytes, at most size(), and appends `suffix`, which must not be a
  // view into this buffer and must be followed by kCopySlack readable bytes.
  void Replace(size_t shared, absl::string_view suffix) {
    assert(shared <= size_);
    const size_t size = shared + suffix.size();
    if (ABSL_PREDICT_FALSE(size > room())) Grow(shared, size + kCopySlack);
    CopyWide(data_ + shared, suffix);
    size_ = size;
  }

  // Sets the size to `size` bytes. The first `kept` stay; the caller writes the others. Returns the
  // start of the contents.
  char* Resize(size_t kept, size_t size) {
    assert(kept <= size_ && kept <= size);
    if (size + kCopySlack > capacity_) Grow(kept, size + kCopySlack);
    size_ = size;
    return data_;
  }

  // Copies `key`, which may be any view that does not point into this buffer.
  void Assign(absl::string_view key) {
    if (key.size() + kCopySlack > capacity_) Grow(0, key.size() + kCopySlack);
    CopySmall(data_, key.data(), key.size());
    size_ = key.size();
  }

  // Assign() for at most kMaxInlineCopy bytes, without a call.
  void AssignShort(absl::string_view key) {
    static_assert(kMaxInlineCopy + kCopySlack <= kInlineCapacity);
    assert(key.size() <= kMaxInlineCopy);
    CopyInline(data_, key.data(), key.size());
    size_ = key.size();
  }

  void Clear() { size_ = 0; }

  // Returns true if `bytes` points into this buffer.
  bool Holds(absl::string_view bytes) const {
    return std::less_equal<const char*>()(data_, bytes.data()) &&
           std::less<const char*>()(bytes.data(), data_ + capacity_);
  }

 private:
  void Grow(size_t kept, size_t room) {
    const size_t capacity = std::max(room, 2 * capacity_);
    std::unique_ptr<char[]> heap(new char[capacity]);
    std::memcpy(heap.get(), data_, kept);
    heap_ = std::move(heap);
    data_ = heap_.get();
    capacity_ = capacity;
  }

  char* data_ = inline_;
  size_t size_ = 0;
  size_t capacity_ = kInlineCapacity;
  std::unique_ptr<char[]> heap_;
  char inline_[kInlineCapacity];
};

}  // namespace sstable

#endif  // SSTABLE_UTIL_BYTES_H_
