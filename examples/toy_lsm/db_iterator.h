// What a snapshot sees of internal keys: of each user key the newest version, unless it is deleted.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_DB_ITERATOR_H_
#define SSTABLE_EXAMPLES_TOY_LSM_DB_ITERATOR_H_

#include <cstdint>
#include <memory>

#include "table/iterator.h"
#include "table/merging_iterator.h"

namespace toy_lsm {

// `entries` are of internal keys; `source` is what must live as long as they do.
std::unique_ptr<sstable::Iterator> NewDbIterator(std::unique_ptr<sstable::MergingIterator> entries,
                                                 uint64_t snapshot,
                                                 std::shared_ptr<const void> source);

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_DB_ITERATOR_H_
