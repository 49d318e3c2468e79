// One parsed block: where its entries and restart points are.
#ifndef SSTABLE_TABLE_BLOCK_BLOCK_H_
#define SSTABLE_TABLE_BLOCK_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/format.h"
#include "util/coding.h"

namespace sstable {

// Ownership: a view; the bytes must outlive it.
// Threads:   immutable.
class Block {
 public:
  // A block without entries.
  Block() = default;

  // `contents` must have kCopySlack (util/bytes.h) readable bytes after them, as every block in a
  // file or a ByteBuffer has. DataLoss if the restart array does not fit in the block. An empty
  // block may have no restart points, as iq80's writer makes it; a block with entries and no
  // restart points is DataLoss, too.
  static absl::StatusOr<Block> Parse(absl::string_view contents);

  // Parse(), inline; returns false if Parse() returns an error. `known_restart_count` is 0 or the
  // block's restart count, which saves reading the end of the block.
  static bool TryParse(absl::string_view contents, Block* block, uint32_t known_restart_count = 0) {
    if (contents.size() < sizeof(uint32_t) || contents.size() > 0xffffffff) return false;
    const size_t max_entries_size = contents.size() - sizeof(uint32_t);
    const uint32_t restart_count = ABSL_PREDICT_TRUE(known_restart_count != 0)
                                       ? known_restart_count
                                       : DecodeFixed32(contents.data() + max_entries_size);
    const uint64_t array_size = sizeof(uint32_t) * uint64_t{restart_count};
    if (ABSL_PREDICT_FALSE(array_size > max_entries_size)) {
      return restart_count >> 31 != 0 && TryParseWithHashIndex(contents, block);
    }
    block->begin_ = contents.data();
    block->entries_size_ = static_cast<uint32_t>(max_entries_size - array_size);
    block->restart_count_ = restart_count;
    return restart_count != 0 || block->entries_size_ == 0;
  }

  // The entries, one after the other.
  const char* begin() const { return begin_; }
  const char* end() const { return begin_ + entries_size_; }
  size_t entries_size() const { return entries_size_; }

  // Size of all that was parsed, without a hash index.
  uint64_t contents_size() const {
    return uint64_t{entries_size_} + sizeof(uint32_t) * (uint64_t{restart_count_} + 1);
  }

  uint32_t restart_count() const { return restart_count_; }
  // Offset in the block, not checked. Only for i < restart_count().
  uint32_t RestartOffset(uint32_t i) const { return DecodeFixed32(end() + 4 * size_t{i}); }
  // Where the entries of a restart point start. The first point must be at offset 0, so it needs no
  // load; a caller that checks the stored offset need not wait for it.
  const char* RunStart(uint32_t i) const { return i == 0 ? begin_ : begin_ + RestartOffset(i); }

 private:
  static bool TryParseWithHashIndex(absl::string_view contents, Block* block);

  const char* begin_ = nullptr;
  uint32_t entries_size_ = 0;
  uint32_t restart_count_ = 0;
};

// Decodes the header of any entry. Returns false if it is cut short.
bool DecodeLongEntryHeader(const char* p, const char* limit, BlockEntry* entry);

// Decodes the entry at `p`, which must be in the block and before `limit`, the end of the entries.
// Returns false if the entry does not end by `limit`; EntryError() then returns the reason.
inline bool DecodeEntry(const char* p, const char* limit, BlockEntry* entry) {
  if (ABSL_PREDICT_FALSE(!DecodeShortEntryHeader(p, entry))) {
    BlockEntry decoded;
    if (!DecodeLongEntryHeader(p, limit, &decoded)) return false;
    *entry = decoded;
  }
  return entry->EndsBy(limit);
}
inline bool DecodeEntry(const char* p, const Block& block, BlockEntry* entry) {
  return DecodeEntry(p, block.end(), entry);
}

// Decodes the entry at a restart point, which stores its full key. Errors: DataLoss naming the
// point.
absl::Status DecodeRestartEntry(const Block& block, uint32_t restart, BlockEntry* entry);

// Returns why the entry at `p` is invalid: DecodeEntry() failed, or it shares more than the
// `key_size` bytes of the previous key. DataLoss with the entry's offset in the block.
absl::Status EntryError(const Block& block, const char* p, size_t key_size);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_BLOCK_H_
