// A snapshot of a database: the newest version of each user key, unless it is a deletion.
#ifndef SSTABLE_LIVE_ITERATOR_H_
#define SSTABLE_LIVE_ITERATOR_H_

#include <cstdint>
#include <memory>

#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"

namespace sstable {

// Over user keys. `entries` has all versions: internal keys in the order of
// InternalKeyComparator(user_comparator), as those of a MergingIterator over logs and tables.
// Versions with a sequence above `snapshot` are not seen.
//
// Ownership: owns `entries`, and shares `source`, which is what `entries` reads from; null if the
//            caller keeps that. Borrows the comparator.
// Errors:    those of `entries`; DataLoss for a key that is not an internal key. An exception from
//            a step leaves the iterator on no entry, with that exception's status().
std::unique_ptr<Iterator> NewLiveIterator(std::unique_ptr<Iterator> entries,
                                          const Comparator* user_comparator,
                                          uint64_t snapshot = kMaxSequence,
                                          std::shared_ptr<const void> source = nullptr);

}  // namespace sstable

#endif  // SSTABLE_LIVE_ITERATOR_H_
