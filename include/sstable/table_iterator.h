// Walks the entries of a table, block by block.
#ifndef SSTABLE_TABLE_ITERATOR_H_
#define SSTABLE_TABLE_ITERATOR_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/iterator.h"
#include "sstable/table_reader.h"

namespace sstable {

// A loop over one makes a call per entry, Next(), and none of them is virtual.
//
// Lifetime: the reader must outlive it. Keys and values are valid until the iterator next moves;
//           Seek() may be given one of them.
// Errors:   a block that is damaged or can't be read ends the walk; status() names it, and
//           SkipDamage() continues after it. Seek() needs the index to be in the comparator's
//           order, else FailedPrecondition; the other steps work with any comparator. A step that
//           ends by an exception (std::bad_alloc, or one of the comparator's) leaves the iterator
//           on no entry, with that exception's status(); it can seek again.
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

  // To the first entry of data block `i` or of those after it; i is at most their number.
  void SeekToBlock(size_t i);

  // The number of the data block that the iterator is in, or whose damage stopped it; the number of
  // data blocks, when past the end.
  size_t block_index() const;

  // After an error in a data block: to the first entry after that block. Whatever of it was not
  // yet visited is left out. If the next block can't be read either, the iterator stops there, to
  // be asked again. False, and it stays, if no block stopped it.
  bool SkipDamage();

  class Impl;  // the private half, which every TableIterator is

 private:
  TableIterator() = default;

  // The entry that it is on, copied from the private half, so that Valid(), key() and value() are
  // inline. No two that are neighbours here are neighbours there: compilers like to copy neighbours
  // as one vector, which has to wait until both have been stored.
  const char* key_ = nullptr;
  size_t value_size_ = 0;
  const char* value_ = nullptr;
  size_t key_size_ = 0;
  bool valid_ = false;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_ITERATOR_H_
