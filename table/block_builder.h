// Encodes one block: entries with shared prefixes, then restart points.
//
// Format: an entry is varint32 shared ++ varint32 unshared ++ varint32 value_size ++ the key's last
//         `unshared` bytes ++ value. At a restart point `shared` is 0. Behind the entries stand
//         fixed32 restart[i], offsets in the block, and fixed32 restart_count.
//         docs/table_format.md.
#ifndef SSTABLE_TABLE_BLOCK_BUILDER_H_
#define SSTABLE_TABLE_BLOCK_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "util/bytes.h"
#include "util/coding.h"

namespace sstable {

// Pattern:   (Start Add* Finish)*
// Ownership: encodes at the end of `*out`, which is borrowed. Others may append to it or clear it
//            between Finish and Start, not in between.
// Errors:    none; the caller sees to it that the block stays below 4 GiB (kMaxEntryOverhead).
class BlockBuilder {
 public:
  // An entry takes at most this many bytes beside its key and value, its restart point included.
  static constexpr size_t kMaxEntryOverhead = 20;

  BlockBuilder(int restart_interval, ByteBuffer* out)
      : out_(out), restart_interval_(restart_interval) {}

  void Start() {
    start_ = out_->size();
    restarts_.assign(1, 0);
    restart_array_size_ = 2 * sizeof(uint32_t);
    entries_since_restart_ = 0;
  }

  // Adds an entry. `shared`: how many leading bytes the key has in common with the one before it in
  // this block; it does not matter for the first. `key` has kCopySlack readable bytes behind it, as
  // one in a KeyBuffer has.
  void Add(absl::string_view key, absl::string_view value, size_t shared) {
    if (ABSL_PREDICT_FALSE(entries_since_restart_ == restart_interval_)) AddRestart();
    if (entries_since_restart_++ == 0) shared = 0;
    const absl::string_view suffix = key.substr(shared);
    char* p = out_->Reserve(3 * kMaxVarint32Size + suffix.size() + value.size());
    if (ABSL_PREDICT_TRUE((shared | suffix.size() | value.size()) < 128)) {
      // Three varints of one byte each, in one store.
      EncodeFixed32(p, static_cast<uint32_t>(shared | suffix.size() << 8 | value.size() << 16));
      p += 3;
    } else {
      p = EncodeVarint64(p, shared);
      p = EncodeVarint64(p, suffix.size());
      p = EncodeVarint64(p, value.size());
    }
    CopyWide(p, suffix);
    p += suffix.size();
    CopySmall(p, value.data(), value.size());
    p += value.size();
    out_->SetSize(static_cast<size_t>(p - out_->data()));
  }

  // Bytes of the block if it were finished now.
  size_t CurrentSize() const { return out_->size() - start_ + restart_array_size_; }
  bool empty() const { return out_->size() == start_; }

  // Appends the restart points. The block is then what stands in `*out` from here to its end.
  size_t Finish();

 private:
  void AddRestart() {
    restarts_.push_back(static_cast<uint32_t>(out_->size() - start_));
    restart_array_size_ += sizeof(uint32_t);
    entries_since_restart_ = 0;
  }

  ByteBuffer* out_;
  int restart_interval_;
  size_t start_ = 0;  // of the block in *out_
  std::vector<uint32_t> restarts_ = {0};
  size_t restart_array_size_ = 0;  // in bytes, with the count
  int entries_since_restart_ = 0;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_BUILDER_H_
