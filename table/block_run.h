// Lets a loop decode entries of a data block by itself, without a call for each.
#ifndef SSTABLE_TABLE_BLOCK_RUN_H_
#define SSTABLE_TABLE_BLOCK_RUN_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "sstable/format.h"
#include "sstable/table_iterator.h"

namespace sstable {

// The entries after an iterator's current one in its data block.
struct BlockRun {
  const char* next;  // where the next entry starts
  const char* end;   // where entries end
  size_t key_room;   // bytes that a key can have in the iterator

  // Decodes the header of the next entry. Returns false at the end, or if TryNext() would.
  // `last_size` is the size of the key before it.
  bool Peek(size_t last_size, BlockEntry* entry) const {
    if (ABSL_PREDICT_FALSE(next >= end)) return false;
    __builtin_prefetch(next + kScanPrefetchDistance);
    return ABSL_PREDICT_TRUE(DecodeShortEntryHeader(next, entry) && entry->EndsBy(end) &&
                             entry->shared <= last_size &&
                             size_t{entry->shared} + entry->unshared <= key_room);
  }
};

// `it` must be Valid().
BlockRun RunOf(const TableIterator& it);

// Moves the iterator to the entry of its run that starts at `start` and has this key.
void MoveTo(const char* start, const BlockEntry& entry, absl::string_view key, TableIterator* it);

// An iterator that visits only some of the entries of the tables that it reads.
class RunSource {
 public:
  // Returns the iterator over the table that has the current entry, if the caller may move it
  // forward within the data block; otherwise null. It may be moved only over entries that this
  // iterator would visit, too: values with a sequence of at most `*snapshot`, each with a user key
  // that differs from the one before it. Call EndRun() afterwards.
  virtual TableIterator* BeginRun(uint64_t* snapshot) = 0;
  virtual void EndRun() = 0;

 protected:
  ~RunSource() = default;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_RUN_H_
