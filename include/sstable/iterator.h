// Iterators over the entries of a block, a table or several tables, in key order.
#ifndef SSTABLE_ITERATOR_H_
#define SSTABLE_ITERATOR_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "sstable/slice.h"
#include "sstable/version.h"

namespace sstable {

// Pattern:  for (it->SeekToFirst(); it->Valid(); it->Next()) ...; then check it->status().
// Errors:   damage ends the iteration: Valid() is false and status() says why, until the next Seek.
// Threads:  one at a time.
class SSTABLE_EXPORT Iterator {
 public:
  Iterator() = default;
  virtual ~Iterator() = default;
  Iterator(const Iterator&) = delete;
  Iterator& operator=(const Iterator&) = delete;

  // True on an entry; false at first, past either end, and after an error.
  virtual bool Valid() const = 0;

  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  virtual void Seek(Slice target) = 0;  // to the first key not below the target

  // Only while Valid().
  virtual void Next() = 0;
  virtual void Prev() = 0;
  virtual absl::string_view key() const = 0;    // valid until the iterator next moves
  virtual absl::string_view value() const = 0;  // valid until it next moves

  // OK unless damage or an error of the file ended the iteration.
  virtual absl::Status status() const = 0;
};

// Merges several iterators, such as those over the tables of a database: every entry of every
// child, equal keys in the order of the children. Put the newest child first to visit the newest
// entry first. Backwards, the order is exactly reversed. The keys of each child are of this kind
// and ascend strictly by `comparator`, which orders plain or user keys.
//
// Ownership: owns its children; borrows the comparator, which must outlive it.
// Errors:    a child's error ends the iteration, until the next Seek: continuing with the others
//            would present older versions as the newest. InvalidArgument for internal keys and an
//            InternalKeyComparator, which orders them already. An exception thrown by a step also
//            ends the iteration, with its status, and reaches the caller.
SSTABLE_EXPORT std::unique_ptr<Iterator> NewMergingIterator(
    const Comparator* comparator, KeyKind kind, std::vector<std::unique_ptr<Iterator>> children);

// Iterates over what a snapshot of a database sees: the newest version of each user key, unless it
// is a deletion.
// `entries` has all versions: internal keys in the order of
// InternalKeyComparator(user_comparator), as those of a merging iterator over logs and tables.
// Versions with a sequence above `snapshot` are not seen.
//
// Ownership: owns `entries`, and shares `source`, from which `entries` reads; null if the caller
//            keeps it alive. Borrows the comparator.
// Errors:    those of `entries`; DataLoss for a key that is not an internal key. An exception from
//            a step leaves the iterator on no entry, with that exception's status().
SSTABLE_EXPORT std::unique_ptr<Iterator> NewSnapshotIterator(
    std::unique_ptr<Iterator> entries, const Comparator* user_comparator,
    uint64_t snapshot = kMaxSequence, std::shared_ptr<const void> source = nullptr);

}  // namespace sstable

#endif  // SSTABLE_ITERATOR_H_
