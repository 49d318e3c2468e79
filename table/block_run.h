// For loops that decode the entries of a data block by themselves.
#ifndef SSTABLE_TABLE_BLOCK_RUN_H_
#define SSTABLE_TABLE_BLOCK_RUN_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "sstable/format.h"
#include "sstable/table_iterator.h"

namespace sstable {

// Entries of the data block that an iterator is in, from the one after its own.
struct BlockRun {
  const char* next;  // where the next entry starts
  const char* end;   // where entries end
  size_t key_room;   // bytes that a key can have in the iterator

  // Decodes the header of the next entry. Returns false where TryNext() would, and at the end.
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

// Moves the iterator to an entry of that run with this key, which starts at `start`.
void MoveTo(const char* start, const BlockEntry& entry, absl::string_view key, TableIterator* it);

// An iterator over the entries of tables that does not show all of them.
class RunSource {
 public:
  // The iterator over the table that has the current entry, if the caller may move it forward
  // within the data block to entries that are the next ones here as well: values of other user
  // keys, byte by byte, with a sequence of at most `*snapshot`. EndRun() must follow. Else null.
  virtual TableIterator* BeginRun(uint64_t* snapshot) = 0;
  virtual void EndRun() = 0;

 protected:
  ~RunSource() = default;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_RUN_H_
