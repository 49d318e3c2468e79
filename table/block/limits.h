// Bounds on the work that a small file can ask of its reader. Where a sound table can come to one,
// the status is OutOfRange, and names the option that lifts it.
//
// Format: docs/table_format.md has them among what a careful reader checks.
#ifndef SSTABLE_TABLE_BLOCK_LIMITS_H_
#define SSTABLE_TABLE_BLOCK_LIMITS_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "sstable/format.h"

namespace sstable {

// How many times their size on disk blocks and keys may have in memory. Deflate can't do more
// than 1032, snappy not more than 22; zstd can, where all bytes are the same.
inline constexpr uint64_t kMaxExpansion = 1100;
inline constexpr uint64_t kMaxSmallBlock = uint64_t{4} << 20;    // a compressed block may hold this
inline constexpr uint64_t kMaxMediumBlock = uint64_t{64} << 20;  // at most, or this many times
inline constexpr uint64_t kLargeExpansion = 4;                   // its stored bytes,
inline constexpr uint64_t kMaxLargeBlock = uint64_t{256} << 20;  // at most

// How many times the bytes of a file all that is done with it may take (see WorkBudget); smaller
// files count as kMinWorkSize. A gigabyte of work takes about a second.
inline constexpr uint32_t kDefaultMaxWork = 100;
inline constexpr uint64_t kMinWorkSize = uint64_t{10} << 20;
inline constexpr uint64_t kWorkPerEntry = 32;  // beside its key

inline uint64_t Expanded(uint64_t size) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  return size > kMax / kMaxExpansion / 2 ? kMax / 2 : size * kMaxExpansion;
}

// What a compressed block of `stored_size` bytes may hold, unless the caller has a limit. A command
// has a few copies of a block, or of its text, at once.
inline uint64_t MaxUncompressedSize(uint64_t stored_size) {
  const uint64_t large = stored_size > kMaxLargeBlock / kLargeExpansion
                             ? kMaxLargeBlock
                             : std::max(kMaxMediumBlock, stored_size * kLargeExpansion);
  return std::min(std::max(kMaxSmallBlock, Expanded(stored_size)), large);
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
    if (size > left_) {
      is_exceeded_ = true;
      return false;
    }
    left_ -= size;
    return true;
  }
  bool is_exceeded() const { return is_exceeded_; }

 private:
  uint64_t left_;
  bool is_exceeded_ = false;
};

// The work that may be done with a file. `max_work`: see TableReaderOptions.
inline uint64_t AllowedWork(uint64_t file_size, uint32_t max_work = kDefaultMaxWork) {
  const uint64_t size = std::max(file_size, kMinWorkSize);
  return size > std::numeric_limits<uint64_t>::max() / std::max(max_work, 1u) ? size
                                                                              : size * max_work;
}

// What may still be done with a file, in bytes: those of the keys and of the uncompressed blocks
// that are made of it, each time that they are made, and of the text that is made of entries. By
// the prefixes that they share, n bytes of block could have n * n / 20 bytes of keys; a block of
// zeros, which takes little space, is a sequence of empty keys.
//
// Threads: any number.
class WorkBudget {
 public:
  explicit WorkBudget(uint64_t file_size, uint32_t max_work = kDefaultMaxWork)
      : allowed_(AllowedWork(file_size, max_work)), left_(allowed_) {}

  // False, and nothing is left, if that is more than what is left.
  bool Take(uint64_t size) {
    uint64_t left = left_.load(std::memory_order_relaxed);
    while (!left_.compare_exchange_weak(left, left - std::min(size, left),
                                        std::memory_order_relaxed)) {
    }
    return size <= left;
  }
  bool is_spent() const { return left_.load(std::memory_order_relaxed) == 0; }

  // OutOfRange: this is no damage.
  absl::Status Error() const {
    return absl::OutOfRangeError(
        absl::StrCat("a limit, not damage: keys and uncompressed blocks take more than ", allowed_,
                     " bytes of work; --max-work (TableReaderOptions::max_work) allows more"));
  }

 private:
  const uint64_t allowed_;
  std::atomic<uint64_t> left_;
};

// Takes the work of one thread from a budget, in pieces.
class WorkMeter {
 public:
  explicit WorkMeter(std::shared_ptr<WorkBudget> budget) : budget_(std::move(budget)) {}

  bool Take(uint64_t size) {
    if (size > left_) return TakeMore(size);
    left_ -= size;
    return true;
  }
  // For an entry with a key of this size.
  bool TakeKey(uint64_t size) { return Take(kWorkPerEntry + size); }

  bool is_spent() const { return budget_->is_spent(); }
  absl::Status Error() const { return budget_->Error(); }

 private:
  static constexpr uint64_t kPiece = 64 << 10;
  bool TakeMore(uint64_t size) {
    if (!budget_->Take(size + kPiece - left_)) return false;
    left_ = kPiece;
    return true;
  }

  std::shared_ptr<WorkBudget> budget_;
  uint64_t left_ = 0;
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
