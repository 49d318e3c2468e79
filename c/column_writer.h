// Fills a column of sstable/c.h.
#ifndef SSTABLE_C_COLUMN_WRITER_H_
#define SSTABLE_C_COLUMN_WRITER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "c/c_support.h"
#include "sstable/c.h"
#include "util/bytes.h"
#include "util/coding.h"
#include "util/status_util.h"

namespace sstable {

// Pattern: Check(), then HasRoom() and Append() for each item, then Finish(). A null column accepts
// everything and stores nothing.
class ColumnWriter {
 public:
  static absl::Status Check(const sstable_column* column) {
    if (column == nullptr) return absl::OkStatus();
    if (column->capacity > 0) RETURN_IF_ERROR(NotNull(column->data, "data"));
    ASSIGN_OR_RETURN(const Format format, ToEnum(column->format, Format::kPickle, "format"));
    return format == Format::kPickle ? absl::OkStatus() : NotNull(column->offsets, "offsets");
  }

  explicit ColumnWriter(sstable_column* column)
      : column_(column), format_(column == nullptr ? Format::kNone : Format{column->format}) {
    if (format_ == Format::kNone) return;
    data_ = column->data;
    capacity_ = column->capacity;
    if (format_ == Format::kBytes) {
      next_offset_ = column->offsets;
      *next_offset_ = 0;
    }
    Start();
  }

  // For a column whose data is null or allocated by malloc(): makes room for `count` more items of
  // `size` bytes in total. Returns false, and leaves the column unchanged, if there is no memory.
  bool Reserve(size_t count, size_t size) {
    const size_t needed = size_ + size + (count + 1) * kMaxOverhead;
    if (needed <= capacity_) return true;
    const size_t capacity = std::max(needed, 2 * capacity_);
    char* const data = static_cast<char*>(std::realloc(data_, capacity));
    if (data == nullptr) return false;
    const bool is_first = data_ == nullptr;
    column_->data = data_ = data;
    column_->capacity = capacity_ = capacity;
    if (is_first) Start();
    return true;
  }

  // Returns true if there is room for an item of this size.
  bool HasRoom(size_t size) const {
    const size_t more = format_ == Format::kPickle ? kMaxOverhead - sizeof kPickleStart : 0;
    return format_ == Format::kNone || (size <= capacity_ && size_ + more <= capacity_ - size);
  }

  // These functions write items to a column of bytes without Append(). The next item goes to end().
  // HasWideRoom() returns true if an item fits with kCopySlack bytes after it, which may be
  // overwritten.
  bool is_bytes() const { return format_ == Format::kBytes; }
  char* end() const { return data_ + size_; }
  bool HasWideRoom(size_t size) const {
    return size + kCopySlack <= capacity_ && size_ <= capacity_ - size - kCopySlack;
  }
  void EndItem(size_t size) {
    size_ += size;
    *++next_offset_ = size_;
  }

  // Appends a placeholder for a missing item. There must be room for an empty item.
  void AppendNone() {
    if (format_ == Format::kPickle) data_[size_++] = 'N';
    if (format_ == Format::kBytes) *++next_offset_ = size_;
  }

  // HasRoom() must be true.
  void Append(absl::string_view item) {
    if (format_ == Format::kNone) return;
    if (format_ == Format::kPickle) AppendPickledSize(item.size());
    Copy(data_ + size_, item.data(), item.size());
    size_ += item.size();
    if (format_ == Format::kBytes) *++next_offset_ = size_;
  }

  void Finish() {
    if (format_ == Format::kPickle) {
      if (size_ + 2 > capacity_) {
        size_ = 0;  // no room for anything
      } else {
        data_[size_++] = 't';  // the tuple ends
        data_[size_++] = '.';  // the pickle ends
      }
    }
    if (format_ != Format::kNone) column_->size = size_;
  }

 private:
  enum class Format { kBytes = SSTABLE_COLUMN_BYTES, kPickle = SSTABLE_COLUMN_PICKLE, kNone };

  // Protocol 4, and a mark that starts the tuple.
  static constexpr char kPickleStart[] = {'\x80', 4, '('};
  // Maximum overhead of one item: the start, the item's size, and the end, as documented in
  // sstable/c.h.
  static constexpr size_t kMaxOverhead = 16;

  // Counts the start even if it does not fit, so that HasRoom() returns false.
  void Start() {
    if (format_ != Format::kPickle) return;
    if (capacity_ >= sizeof kPickleStart) std::memcpy(data_, kPickleStart, sizeof kPickleStart);
    size_ = sizeof kPickleStart;
  }

  // Python's opcodes SHORT_BINBYTES and BINBYTES8, each with the size, little-endian.
  void AppendPickledSize(size_t size) {
    if (size < 256) {
      data_[size_++] = 'C';
      data_[size_++] = static_cast<char>(size);
    } else {
      data_[size_++] = '\x8e';
      EncodeFixed64(data_ + size_, size);
      size_ += 8;
    }
  }

  // Most keys and values are short. To copy them without a call, copies the first and the last
  // bytes, which may overlap.
  template <size_t kSize>
  static void CopyEnds(char* to, const char* from, size_t size) {
    char first[kSize], last[kSize];
    std::memcpy(first, from, kSize);
    std::memcpy(last, from + size - kSize, kSize);
    std::memcpy(to, first, kSize);
    std::memcpy(to + size - kSize, last, kSize);
  }
  static void Copy(char* to, const char* from, size_t size) {
    if (size > 32) {
      std::memcpy(to, from, size);
    } else if (size >= 16) {
      CopyEnds<16>(to, from, size);
    } else if (size >= 8) {
      CopyEnds<8>(to, from, size);
    } else if (size >= 4) {
      CopyEnds<4>(to, from, size);
    } else {
      for (size_t i = 0; i < size; ++i) to[i] = from[i];
    }
  }

  sstable_column* const column_;
  const Format format_;
  char* data_ = nullptr;
  size_t capacity_ = 0;
  size_t size_ = 0;  // bytes so far
  uint64_t* next_offset_ = nullptr;
};

}  // namespace sstable

#endif  // SSTABLE_C_COLUMN_WRITER_H_
