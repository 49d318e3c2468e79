// Encodes one block: entries with shared prefixes, then restart points.
//
// Format: an entry is varint32 shared ++ varint32 unshared ++ varint32 value_size ++ the key's last
//         `unshared` bytes ++ value. At a restart point `shared` is 0. After the entries come
//         fixed32 restart[i], offsets in the block, and fixed32 restart_count.
//         docs/table_format.md.
#ifndef SSTABLE_TABLE_BLOCK_BLOCK_BUILDER_H_
#define SSTABLE_TABLE_BLOCK_BLOCK_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "util/bytes.h"
#include "util/coding.h"

namespace sstable {

// Pattern:   (Start Add* Finish)*
// Ownership: borrows the buffer from Start to Finish; nobody else may change it in between.
class BlockBuilder {
 public:
  // The most bytes that an entry takes besides its key and value, including its restart point.
  static constexpr size_t kMaxEntryOverhead = 20;

  // Size of a block without entries: one restart point and the count.
  static constexpr size_t kEmptySize = 2 * sizeof(uint32_t);

  explicit BlockBuilder(int restart_interval) : restart_interval_(restart_interval) {}

  // Begins a block at the end of `*out`.
  void Start(ByteBuffer* out) {
    out_ = out;
    start_ = out->size();
    restarts_.assign(1, 0);
    restart_array_size_ = kEmptySize;
    entries_since_restart_ = 0;
  }

  // Adds an entry. `shared`: how many leading bytes the key has in common with the previous key in
  // this block; ignored for the first.
  void Add(absl::string_view key, absl::string_view value, size_t shared) {
    if (entries_since_restart_ == restart_interval_) AddRestart();
    if (entries_since_restart_++ == 0) shared = 0;
    const size_t unshared = key.size() - shared;
    char* p = out_->Reserve(3 * kMaxVarint32Size + unshared + value.size());
    p = EncodeVarint64(p, shared);
    p = EncodeVarint64(p, unshared);
    p = EncodeVarint64(p, value.size());
    CopySmall(p, key.data() + shared, unshared);
    CopySmall(p + unshared, value.data(), value.size());
    out_->SetSize(static_cast<size_t>(p + unshared + value.size() - out_->data()));
  }

  // True for the most frequent kind of entry, whose sizes take a byte each.
  static constexpr size_t kMaxShort = 127;
  static bool IsShort(absl::string_view key, absl::string_view value) {
    return (key.size() | value.size()) <= kMaxShort;
  }

  // Add() for a short entry that is not the first of its block, without a call. Returns false, and
  // does nothing, if a buffer has to grow.
  bool TryAddShort(absl::string_view key, absl::string_view value, size_t shared) {
    if (ABSL_PREDICT_FALSE(restarts_.size() == restarts_.capacity() ||
                           out_->room() < 3 + 2 * kMaxShort)) {
      return false;
    }
    if (entries_since_restart_ == restart_interval_) {
      AddRestart();
      shared = 0;
    }
    ++entries_since_restart_;
    const size_t unshared = key.size() - shared;
    char* p = out_->data() + out_->size();
    // Three varints of one byte each, in one store.
    EncodeFixed32(p, static_cast<uint32_t>(shared | unshared << 8 | value.size() << 16));
    p += 3;
    if (ABSL_PREDICT_TRUE(unshared <= 8 && key.size() >= 8)) {
      // The key's last 8 bytes, with the shared ones shifted out. The value overwrites the excess.
      EncodeFixed64(p, DecodeFixed64(key.data() + key.size() - 8) >> ((64 - 8 * unshared) & 63));
    } else {
      CopyInline(p, key.data() + shared, unshared);
    }
    CopyInline(p + unshared, value.data(), value.size());
    out_->SetSize(out_->size() + 3 + unshared + value.size());
    return true;
  }

  // Size of the block if it were finished now.
  size_t CurrentSize() const { return out_->size() - start_ + restart_array_size_; }
  bool empty() const { return out_->size() == start_; }

  // Appends the restart points. The block then extends from the returned offset to the end of the
  // buffer.
  size_t Finish();

 private:
  void AddRestart() {
    restarts_.push_back(static_cast<uint32_t>(out_->size() - start_));
    restart_array_size_ += sizeof(uint32_t);
    entries_since_restart_ = 0;
  }

  ByteBuffer* out_ = nullptr;
  int restart_interval_;
  size_t start_ = 0;  // where the block starts in *out_
  std::vector<uint32_t> restarts_ = {0};
  size_t restart_array_size_ = 0;  // in bytes, including the count
  int entries_since_restart_ = 0;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_BLOCK_BUILDER_H_
