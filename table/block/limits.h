// Limits on the work that a small file can cause. Where a sound table can exceed one, the status is
// OutOfRange and names the option that raises it.
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

// The factor by which blocks and keys may be larger in memory than on disk. Deflate reaches at most
// 1032, Snappy 22; zstd can exceed the limit if all bytes are the same.
inline constexpr uint64_t kMaxExpansion = 1100;

// The limits of MaxUncompressedSize(). Any compressed block may expand to kMaxSmallBlock bytes, and
// to kMaxExpansion times its stored size up to kMaxMediumBlock. Beyond that it may expand to
// kLargeExpansion times its stored size, up to kMaxLargeBlock.
inline constexpr uint64_t kMaxSmallBlock = uint64_t{4} << 20;
inline constexpr uint64_t kMaxMediumBlock = uint64_t{64} << 20;
inline constexpr uint64_t kLargeExpansion = 4;
inline constexpr uint64_t kMaxLargeBlock = uint64_t{256} << 20;

// All work on a file may take at most this many times its size (see WorkBudget); smaller files
// count as kMinWorkSize. A gigabyte of work takes about a second.
inline constexpr uint32_t kDefaultMaxWork = 100;
inline constexpr uint64_t kMinWorkSize = uint64_t{10} << 20;
inline constexpr uint64_t kWorkPerEntry = 32;  // for each entry, besides its key

inline uint64_t Expanded(uint64_t size) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  return size > kMax / kMaxExpansion / 2 ? kMax / 2 : size * kMaxExpansion;
}

// The largest size to which a compressed block of `stored_size` bytes may expand, unless the caller
// sets a limit. A command may hold several copies of a block or its text at a time.
inline uint64_t MaxUncompressedSize(uint64_t stored_size) {
  const uint64_t large = stored_size > kMaxLargeBlock / kLargeExpansion
                             ? kMaxLargeBlock
                             : std::max(kMaxMediumBlock, stored_size * kLargeExpansion);
  return std::min(std::max(kMaxSmallBlock, Expanded(stored_size)), large);
}

// The smallest entry: three sizes of one byte each.
inline constexpr uint64_t kMinEntrySize = 3;

// The most entries that a compressed data block of `stored_size` bytes may have, unless the caller
// limits its size: as many as fit in kMaxExpansion times that size. Only large values can use what
// MaxUncompressedSize() allows beyond that. Without this limit, 150 bytes could be 1.4 million
// entries.
inline uint64_t MaxEntryCount(uint64_t stored_size) {
  return Expanded(stored_size) / kMinEntrySize;
}

// An amount that is spent in parts.
class Budget {
 public:
  explicit Budget(uint64_t size) : left_(size) {}

  // Returns false, and spends nothing, if `size` is more than what is left.
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

// The work allowed for a file. `max_work`: see TableReaderOptions.
inline uint64_t AllowedWork(uint64_t file_size, uint32_t max_work = kDefaultMaxWork) {
  const uint64_t size = std::max(file_size, kMinWorkSize);
  return size > std::numeric_limits<uint64_t>::max() / std::max(max_work, 1u) ? size
                                                                              : size * max_work;
}

// Limits the work done on a file. Whenever a key is rebuilt, a block is uncompressed or an entry is
// turned into text, the bytes that result are charged. Without a limit, a small file could cause a
// lot: with shared prefixes, n bytes of a block can hold n * n / 20 bytes of keys, and a block of
// zeros, which takes little space, is a sequence of empty keys.
class WorkBudget {
 public:
  explicit WorkBudget(uint64_t file_size, uint32_t max_work = kDefaultMaxWork)
      : allowed_(AllowedWork(file_size, max_work)), left_(allowed_) {}

  // Returns false, and leaves nothing, if `size` is more than what is left.
  bool Take(uint64_t size) {
    uint64_t left = left_.load(std::memory_order_relaxed);
    while (!left_.compare_exchange_weak(left, left - std::min(size, left),
                                        std::memory_order_relaxed)) {
    }
    return size <= left;
  }
  bool is_spent() const { return left_.load(std::memory_order_relaxed) == 0; }

  // OutOfRange, since it is not damage.
  absl::Status Error() const {
    return absl::OutOfRangeError(
        absl::StrCat("a limit, not damage: keys and uncompressed blocks take more than ", allowed_,
                     " bytes of work; --max-work (TableReaderOptions::max_work) allows more"));
  }

 private:
  const uint64_t allowed_;
  std::atomic<uint64_t> left_;
};

// Charges one thread's work to a budget, in larger pieces.
class WorkMeter {
 public:
  explicit WorkMeter(std::shared_ptr<WorkBudget> budget) : budget_(std::move(budget)) {}

  bool Take(uint64_t size) {
    if (size > left_) return TakeMore(size);
    left_ -= size;
    return true;
  }
  // Charges an entry with a key of this size.
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

// Limits the bytes of the blocks, with their trailers, that an index or metaindex block names: they
// exceed the size of the file only if blocks overlap.
class BlockBudget {
 public:
  explicit BlockBudget(uint64_t file_size) : file_size_(file_size), left_(file_size) {}

  // Only the trailer of a block outside the file is charged: the block can't be read.
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
