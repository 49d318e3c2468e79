// Bounds on the work that a small file can ask of its reader. No table that is not made to ask
// for much comes near them.
//
// Format: docs/table_format.md has them among what a careful reader checks.
#ifndef SSTABLE_TABLE_BLOCK_LIMITS_H_
#define SSTABLE_TABLE_BLOCK_LIMITS_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "sstable/format.h"

namespace sstable {

// How many times their size on disk blocks and keys may have in memory. Deflate can't do more
// than 1032, snappy not more than 22; zstd can, where all bytes are the same.
inline constexpr uint64_t kMaxExpansion = 1100;
inline constexpr uint64_t kMaxSmallBlock = uint64_t{4} << 20;    // a compressed block may hold this
inline constexpr uint64_t kMaxLargeBlock = uint64_t{256} << 20;  // at most
inline constexpr uint64_t kMinKeyAllowance = uint64_t{4}
                                             << 20;  // the keys of a table may have this

inline uint64_t Expanded(uint64_t size) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  return size > kMax / kMaxExpansion / 2 ? kMax / 2 : size * kMaxExpansion;
}

// What a compressed block of `stored_size` bytes may hold, unless the caller has a limit.
inline uint64_t MaxUncompressedSize(uint64_t stored_size) {
  return std::min(std::max(kMaxSmallBlock, Expanded(stored_size)), kMaxLargeBlock);
}

// The smallest entry: three sizes of one byte each.
inline constexpr uint64_t kMinEntrySize = 3;

// The most entries that a compressed data block of `stored_size` bytes may have, unless the caller
// has a limit for its bytes: those that fit in kMaxExpansion times as many. What
// MaxUncompressedSize() allows beyond that is for large values. Without this limit 150 bytes could
// be 1.4 million entries.
inline uint64_t MaxEntryCount(uint64_t stored_size) {
  return Expanded(stored_size) / kMinEntrySize;
}

// Something to be spent.
class Budget {
 public:
  explicit Budget(uint64_t size) : left_(size) {}

  // False, and nothing is spent, if that is more than what is left.
  bool Take(uint64_t size) {
    if (size > left_) return false;
    left_ -= size;
    return true;
  }

 private:
  uint64_t left_;
};

// All keys of a table of `file_size` bytes, with their bytes and a few more for each. By the
// prefixes that they share, n bytes of block could have n * n / 20 bytes of keys; and a block of
// zeros, which takes little space, is a sequence of empty keys.
class KeyBudget {
 public:
  explicit KeyBudget(uint64_t file_size) : left_(kMinKeyAllowance + Expanded(file_size)) {}

  // Of one of several readers that share the work on a table: all together have no more than one.
  static KeyBudget Share(uint64_t file_size, uint64_t readers) {
    KeyBudget share(file_size);
    share.left_ = Budget((kMinKeyAllowance + Expanded(file_size)) / readers);
    return share;
  }

  bool Take(uint64_t key_size) { return left_.Take(kBytesPerKey + key_size); }
  static absl::Status Error() {
    return absl::DataLossError(absl::StrCat("the table's keys, with ", kBytesPerKey,
                                            " bytes more for each, have more than ", kMaxExpansion,
                                            " times the bytes of the file"));
  }

 private:
  static constexpr uint64_t kBytesPerKey = 4;

  Budget left_;
};

// The blocks that an index or metaindex block names. If none is named twice, they have, with
// their trailers, no more bytes than the file.
class BlockBudget {
 public:
  explicit BlockBudget(uint64_t file_size) : file_size_(file_size), left_(file_size) {}

  // A block outside the file counts by its trailer: it can't be read.
  bool Take(const BlockHandle& handle) {
    return left_.Take(kBlockTrailerSize + (FitsInFile(handle, file_size_) ? handle.size : 0));
  }
  absl::Status Error() const {
    return absl::DataLossError(absl::StrCat("blocks named so far have more bytes than the file's ",
                                            file_size_, ": some overlap"));
  }

 private:
  uint64_t file_size_;
  Budget left_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_LIMITS_H_
