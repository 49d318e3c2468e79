// Iterates over the entries of a table, block by block.
#ifndef SSTABLE_TABLE_ITERATOR_H_
#define SSTABLE_TABLE_ITERATOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/format.h"
#include "sstable/iterator.h"
#include "sstable/slice.h"
#include "sstable/version.h"

namespace sstable {

// Next() is inline and not virtual, so a loop makes no call for nearly every entry.
//
// Lifetime: the reader must outlive it. Keys and values are valid until the iterator next moves;
//           Seek() may be given one of them.
// Errors:   a block that is damaged or can't be read ends the iteration; status() names it, and
//           SkipDamage() continues after it. Seek() fails with FailedPrecondition if the index is
//           not in the comparator's order; the other steps work with any comparator. An exception
//           (std::bad_alloc, or one of the comparator's) leaves the iterator on no entry, with that
//           exception's status(); it can seek again.
class SSTABLE_EXPORT TableIterator : public Iterator {
 public:
  bool Valid() const final { return entry_ != nullptr; }
  void SeekToFirst() final;
  void SeekToLast() final;
  void Seek(Slice target) final;
  void Next() final {
    if (ABSL_PREDICT_FALSE(!TryNext())) NextBeyond();
  }
  void Prev() final;
  absl::string_view key() const final { return absl::string_view(key_, key_size_); }
  absl::string_view value() const final { return absl::string_view(value_, value_size_); }
  absl::Status status() const final;

  // Moves to the next entry of the data block if that takes no call, as it does for nearly every
  // entry: its header is short, and its key fits into the buffer. Otherwise returns false and does
  // nothing.
  bool TryNext() {
    const char* const p = next_;
    if (ABSL_PREDICT_FALSE(p >= end_)) return false;
    __builtin_prefetch(p + kScanPrefetchDistance);
    return TryTake(p, key_size_);
  }

  // Moves to the first entry in or after data block `i`, which is at most the number of data
  // blocks.
  void SeekToBlock(size_t i);

  // The index of the data block that the iterator is in, or whose damage stopped it; the number of
  // data blocks if it is past the end.
  size_t block_index() const;

  // After an error in a data block, moves to the first entry after that block; entries of it that
  // were not yet visited are skipped. If the next block can't be read either, the iterator stops
  // there, and this can be called again. If no block stopped it, returns false and does nothing.
  bool SkipDamage();

  class Impl;  // the private half: every TableIterator is one

 private:
  static constexpr size_t kCopyStep = 32;  // bytes; as many may be read and written past a key

  TableIterator() = default;

  // TryNext() to the entry at `p`, whose key may share its first `known` bytes with the last one.
  bool TryTake(const char* p, size_t known) {
    BlockEntry entry;
    if (ABSL_PREDICT_FALSE(!DecodeShortEntryHeader(p, &entry) || !entry.EndsBy(end_) ||
                           entry.shared > known ||
                           size_t{entry.shared} + entry.unshared > key_room_)) {
      return false;
    }
    size_t i = 0;
    do {
      std::memcpy(key_ + entry.shared + i, entry.suffix + i, kCopyStep);
      i += kCopyStep;
    } while (ABSL_PREDICT_FALSE(i < entry.unshared));
    key_size_ = size_t{entry.shared} + entry.unshared;
    value_ = entry.suffix + entry.unshared;
    value_size_ = entry.value_size;
    entry_ = p;
    next_ = entry.next();
    return true;
  }
  void NextBeyond();  // any other step forward

  // The state of TryNext(), which is inline since a call would cost a scan a quarter more time. The
  // private half takes this state over when it next moves. The order separates members of one size
  // that change at every step or are neighbours in the private half: compilers tend to load and
  // store neighbours as one vector, which waits until both have been stored.
  const char* next_ = nullptr;  // where the next entry starts
  char* key_ = nullptr;
  const char* entry_ = nullptr;  // null: on no entry
  size_t key_room_ = 0;          // the largest key size that fits into the buffer
  const char* value_ = nullptr;
  const char* end_ = nullptr;  // end of the block's entries
  size_t key_size_ = 0;
  uint32_t value_size_ = 0;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_ITERATOR_H_
