// An iterator whose current entry may be from a table, so that MergingIterator can step in that
// table.
#ifndef SSTABLE_TABLE_TABLE_WALK_H_
#define SSTABLE_TABLE_TABLE_WALK_H_

#include "sstable/iterator.h"
#include "sstable/table_iterator.h"

namespace sstable {

class TableWalk : public Iterator {
 public:
  // The iterator over the table that has the current entry. The caller may step it forward itself,
  // within the data block, without a virtual call. Null: use Next().
  virtual TableIterator* table_iterator() { return nullptr; }

  // Must be called after such a step to a key that is not an internal key: reports it as Next()
  // would, and moves on.
  virtual void Settle() {}
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_TABLE_WALK_H_
