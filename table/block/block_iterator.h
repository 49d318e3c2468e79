// Iterates over the entries of one block.
#ifndef SSTABLE_TABLE_BLOCK_BLOCK_ITERATOR_H_
#define SSTABLE_TABLE_BLOCK_BLOCK_ITERATOR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/format.h"
#include "sstable/iterator.h"
#include "sstable/slice.h"
#include "table/block/block.h"
#include "table/block/key_order.h"
#include "util/bytes.h"

namespace sstable {

// Ownership: borrows `order` and the block's bytes. Keys are views into the iterator, values into
//            the block.
// Errors:    DataLoss with the entry's offset in the block; the caller adds block and file. If a
//            step throws (std::bad_alloc, or the comparator), the iterator is left on no entry,
//            with that exception's status().
class BlockIterator final : public Iterator {
 public:
  explicit BlockIterator(const KeyOrder* order) : order_(order) {}
  BlockIterator(const KeyOrder* order, const Block& block) : order_(order) { Reset(block); }

  // Switches to another block, and is then on no entry.
  void Reset(const Block& block) {
    block_ = block;
    end_ = block.end();
    entry_ = next_ = nullptr;
    key_.Clear();
    run_.clear();
    status_ = absl::OkStatus();
  }

  bool Valid() const override { return entry_ != nullptr; }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(Slice target) override;
  void Next() override {
    if (ABSL_PREDICT_FALSE(!TryNext())) DecodeNext();
  }
  // Next(), inline, for nearly every entry: its sizes take a byte each, and its key fits into the
  // buffer. Otherwise returns false and does nothing; call Next().
  bool TryNext() {
    const char* const p = next_;
    if (ABSL_PREDICT_FALSE(p >= end_)) return false;
    __builtin_prefetch(p + kScanPrefetchDistance);
    return TryTake(p, key_.size());
  }
  // The first call between two restart points decodes the entries there; later calls cost about as
  // much as Next().
  void Prev() override;
  absl::string_view key() const override { return key_.view(); }
  absl::string_view value() const override { return absl::string_view(value_, value_size_); }
  absl::Status status() const override { return status_; }

  // The position, for a caller that continues from it with steps of its own. It may write to the
  // `key_room` bytes at `key`; kCopySlack more bytes follow them.
  struct Place {
    const char* entry;  // null: on no entry
    const char* next;
    const char* end;
    absl::string_view value;
    char* key;
    size_t key_size;
    size_t key_room;
  };
  Place place() { return {entry_, next_, end_, value(), key_.data(), key_.size(), key_.room()}; }
  // Prepares that caller's step back from `entry`, whose key is in `key`. Returns where the
  // previous entry starts, or null if the last Prev() did not decode it. The first `*known` bytes
  // of `key` are then those of the previous key, including all that its entry shares. Call
  // EndStepBack() after the step.
  const char* PrepareStepBack(const char* entry, char* key, size_t key_room, size_t* known) const {
    if (run_.size() < 2 || block_.begin() + run_.back().offset != entry) return nullptr;
    const RunEntry& before = run_[run_.size() - 2];
    *known = run_.back().shared;
    if (before.shared > *known) {
      if (ABSL_PREDICT_FALSE(before.shared > key_room)) return nullptr;
      CopyShared(before, *known, key);
      *known = before.shared;
    }
    return block_.begin() + before.offset;
  }
  void EndStepBack() { run_.pop_back(); }
  // Continues from the caller's position, which was place() before its steps.
  void Resume(const Place& place) {
    entry_ = place.entry;
    next_ = place.next;
    value_ = place.value.data();
    value_size_ = static_cast<uint32_t>(place.value.size());
    key_.Resize(0, place.key_size);
  }

  // Where the entry starts, in bytes from the block's start. Requires Valid().
  size_t entry_offset() const { return static_cast<size_t>(entry_ - block_.begin()); }

 private:
  // Moves to the entry at next_, or past the end.
  void DecodeNext();
  // Moves to the entry at `p`, whose key may share up to `known` bytes with key_.
  bool TryTake(const char* p, size_t known) {
    BlockEntry entry;
    if (ABSL_PREDICT_FALSE(!DecodeShortEntryHeader(p, &entry) || !entry.EndsBy(end_) ||
                           entry.shared > known ||
                           size_t{entry.shared} + entry.unshared > key_.room())) {
      return false;
    }
    Take(p, entry);
    return true;
  }
  // Moves to `entry` at `p`.
  void Take(const char* p, const BlockEntry& entry) {
    key_.Replace(entry.shared, entry.key_suffix());
    value_ = entry.suffix + entry.unshared;
    value_size_ = entry.value_size;
    entry_ = p;
    next_ = entry.next();
  }
  // One of the entries after a restart point.
  struct RunEntry {
    uint32_t offset;  // in the block
    uint32_t suffix;  // offset of the key bytes that it does not share
    uint32_t shared;
    uint32_t writer;  // index in run_ of the last earlier entry that shares less; set if shared > 0
  };

  // Moves to the last entry that starts before `limit`, beginning at the restart point `restart`.
  void WalkTo(uint32_t restart, const char* limit);
  // Fills in the bytes that an entry of run_ shares; `key` has the first `kept` of them.
  void CopyShared(const RunEntry& entry, size_t kept, char* key) const;
  // Moves to the last entry of run_; key_ has the first `kept` bytes of its key.
  void TakeLastOfRun(size_t kept);
  // Runs a step. If it throws, the iterator fails before the exception reaches the caller.
  template <typename Step>
  void FailIfThrown(Step step);
  void SeekInBlock(absl::string_view target);
  void StepBack();
  void Fail(absl::Status status);
  void FailAt(const char* entry);

  const KeyOrder* order_;
  Block block_;
  // Ordered so that no two members that change at every step are neighbours: compilers tend to
  // store neighbours as one vector, and the next step would wait for its parts.
  const char* next_ = nullptr;   // where the next entry starts
  const char* end_ = nullptr;    // end of the block's entries
  const char* entry_ = nullptr;  // null: on no entry
  uint32_t value_size_ = 0;
  const char* value_ = nullptr;
  KeyBuffer key_;
  std::vector<RunEntry> run_;  // from a restart point to the entry that Prev() last reached
  absl::Status status_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_BLOCK_ITERATOR_H_
