// Iterates over the entries of a block or a table in key order.
#ifndef SSTABLE_ITERATOR_H_
#define SSTABLE_ITERATOR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace sstable {

// Pattern:  for (it->SeekToFirst(); it->Valid(); it->Next()) ...; then check it->status().
// Errors:   damage ends the iteration: Valid() is false and status() says why, until the next Seek.
// Threads:  one at a time.
class Iterator {
 public:
  Iterator() = default;
  virtual ~Iterator() = default;
  Iterator(const Iterator&) = delete;
  Iterator& operator=(const Iterator&) = delete;

  // True on an entry; false at first, past either end, and after an error.
  virtual bool Valid() const = 0;

  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  virtual void Seek(absl::string_view target) = 0;  // to the first key not below the target

  // Only while Valid().
  virtual void Next() = 0;
  virtual void Prev() = 0;
  virtual absl::string_view key() const = 0;    // valid until the iterator next moves
  virtual absl::string_view value() const = 0;  // likewise

  // OK unless damage or an error of the file ended the iteration.
  virtual absl::Status status() const = 0;
};

}  // namespace sstable

#endif  // SSTABLE_ITERATOR_H_
