// An iterator that may go through tables, as MergingIterator sees it.
#ifndef SSTABLE_TABLE_TABLE_WALK_H_
#define SSTABLE_TABLE_TABLE_WALK_H_

#include "sstable/iterator.h"
#include "sstable/table_iterator.h"

namespace sstable {

class TableWalk : public Iterator {
 public:
  // The iterator over the table that has the current entry. Whoever merges may step that forward
  // itself, within the data block, which needs no virtual call. Null: use Next().
  virtual TableIterator* table_iterator() { return nullptr; }

  // After such a step to a key that is not an internal key: reports it as Next() does, and goes on.
  virtual void Settle() {}
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_TABLE_WALK_H_
