// One block's bytes, parsed: where its entries and its restart points are.
//
// Format: table/block_builder.h.
#ifndef SSTABLE_TABLE_BLOCK_H_
#define SSTABLE_TABLE_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "util/coding.h"

namespace sstable {

// Ownership: a view; the bytes must outlive it.
// Threads:   immutable.
class Block {
 public:
  // A block without entries.
  Block() = default;

  // `contents` have kCopySlack (util/bytes.h) readable bytes behind them, as every block in a file
  // or a ByteBuffer has. DataLoss if the restart array does not fit the block. A block without
  // restart points is empty, as iq80's writer leaves it; if it has entries all the same, that is
  // DataLoss, too.
  static absl::StatusOr<Block> Parse(absl::string_view contents);

  // The entries, one behind the other.
  const char* begin() const { return begin_; }
  const char* end() const { return begin_ + entries_size_; }
  size_t entries_size() const { return entries_size_; }

  uint32_t restart_count() const { return restart_count_; }
  // Offset in the block, not checked. Only for i < restart_count().
  uint32_t RestartOffset(uint32_t i) const { return DecodeFixed32(end() + 4 * size_t{i}); }

 private:
  const char* begin_ = nullptr;
  uint32_t entries_size_ = 0;
  uint32_t restart_count_ = 0;
};

// One entry as it stands in a block: its key is the first `shared` bytes of the key before it, then
// `key_suffix`.
struct BlockEntry {
  uint32_t shared;
  absl::string_view key_suffix;
  absl::string_view value;

  // The first byte behind the entry.
  const char* next() const { return value.data() + value.size(); }
};

// Decodes the entry at `p`, which lies in the block's entries. False if it doesn't fit there; then
// EntryError() says why.
inline bool DecodeEntry(const char* p, const Block& block, BlockEntry* entry) {
  // Reads up to 3 bytes past the entries; the restart array is there.
  const uint32_t header = DecodeFixed32(p);
  uint32_t key_size, value_size;
  if (ABSL_PREDICT_TRUE((header & 0x808080) == 0)) {
    entry->shared = header & 0xff;
    key_size = (header >> 8) & 0xff;
    value_size = (header >> 16) & 0xff;
    p += 3;
    if (ABSL_PREDICT_FALSE(p > block.end())) return false;
  } else {
    p = DecodeVarint32(p, block.end(), &entry->shared);
    if (p == nullptr) return false;
    p = DecodeVarint32(p, block.end(), &key_size);
    if (p == nullptr) return false;
    p = DecodeVarint32(p, block.end(), &value_size);
    if (p == nullptr) return false;
  }
  if (uint64_t{key_size} + value_size > static_cast<uint64_t>(block.end() - p)) return false;
  entry->key_suffix = absl::string_view(p, key_size);
  entry->value = absl::string_view(p + key_size, value_size);
  return true;
}

// Decodes the entry at a restart point, whose key is whole. Errors: DataLoss naming the point.
absl::Status DecodeRestartEntry(const Block& block, uint32_t restart, BlockEntry* entry);

// Why the entry at `p` can't be: DecodeEntry() refused it, or it shares more than the `key_size`
// bytes of the key before it. DataLoss with the entry's offset in the block.
absl::Status EntryError(const Block& block, const char* p, size_t key_size);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_H_
