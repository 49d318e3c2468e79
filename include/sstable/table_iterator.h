// Iterates over the entries of a table, block by block.
#ifndef SSTABLE_TABLE_ITERATOR_H_
#define SSTABLE_TABLE_ITERATOR_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/iterator.h"
#include "sstable/table_reader.h"

namespace sstable {

// A loop makes one call per entry, Next(), which is not virtual.
//
// Lifetime: the reader must outlive it. Keys and values are valid until the iterator next moves;
//           Seek() may be given one of them.
// Errors:   a block that is damaged or can't be read ends the iteration; status() names it, and
//           SkipDamage() continues after it. Seek() fails with FailedPrecondition if the index is
//           not in the comparator's order; the other steps work with any comparator. An exception
//           (std::bad_alloc, or one of the comparator's) leaves the iterator on no entry, with that
//           exception's status(); it can seek again.
class TableIterator : public Iterator {
 public:
  bool Valid() const final { return valid_; }
  void SeekToFirst() final;
  void SeekToLast() final;
  void Seek(absl::string_view target) final;
  void Next() final;
  void Prev() final;
  absl::string_view key() const final { return absl::string_view(key_, key_size_); }
  absl::string_view value() const final { return absl::string_view(value_, value_size_); }
  absl::Status status() const final;

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
  TableIterator() = default;

  // The current entry, copied from the private half, so that Valid(), key() and value() are inline.
  // Neighbours here are not neighbours there: compilers tend to copy neighbours as one vector,
  // which has to wait until both have been stored.
  const char* key_ = nullptr;
  size_t value_size_ = 0;
  const char* value_ = nullptr;
  size_t key_size_ = 0;
  bool valid_ = false;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_ITERATOR_H_
