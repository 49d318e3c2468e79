// The iterator that NewMergingIterator() returns, as a class whose steps the library's loops can
// inline.
#ifndef SSTABLE_TABLE_MERGING_ITERATOR_H_
#define SSTABLE_TABLE_MERGING_ITERATOR_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/slice.h"
#include "sstable/table_iterator.h"
#include "table/block/key_order.h"
#include "table/table_walk.h"

namespace sstable {

class MergingIterator final : public Iterator {
 public:
  MergingIterator(const Comparator* comparator, KeyKind kind,
                  std::vector<std::unique_ptr<Iterator>> children);
  ~MergingIterator() override;

  bool Valid() const override { return !heap_.empty(); }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(Slice target) override;
  void Next() override {
    if (ABSL_PREDICT_FALSE(heap_.size() != 1 || !TryStep(heap_[0]))) NextSlowly();
  }
  void Prev() override;
  absl::string_view key() const override { return heap_[0]->key; }
  absl::string_view value() const override {
    const Child& child = *heap_[0];
    return child.table != nullptr ? child.table->value() : child.it->value();
  }
  absl::Status status() const override { return status_; }

  // Returns the iterator of the table that has the current entry if only one child is left and the
  // direction is forward; otherwise, or if the table is not known, null. A caller that moves it
  // within the data block must then call NoteMove().
  TableIterator* only_table() const {
    const bool is_alone = heap_.size() == 1 && direction_ == Direction::kForward;
    return is_alone ? heap_[0]->table : nullptr;
  }
  void NoteMove() { heap_[0]->key = heap_[0]->table->key(); }

  // The index of the child that has the current entry. Only while Valid().
  size_t child_index() const { return heap_[0]->index; }

 private:
  enum class Direction { kForward, kBackward };
  struct Child {
    std::unique_ptr<Iterator> it;
    size_t index;
    TableWalk* walk;        // `it` if it is a TableWalk, otherwise null
    TableIterator* table;   // the table that the entry is from; null: not known
    absl::string_view key;  // the entry's key, kept here to compare without a virtual call
  };

  // Steps forward within a data block, without a call. Returns false, and does nothing, if that is
  // not possible.
  bool TryStep(Child* child) {
    if (child->table == nullptr || direction_ != Direction::kForward) return false;
    if (ABSL_PREDICT_FALSE(!child->table->TryNext())) return false;
    child->key = child->table->key();
    if (ABSL_PREDICT_FALSE(child->walk != nullptr && !ParseInternalKey(child->key).has_value())) {
      Settle(child);
    }
    return true;
  }
  void Settle(Child* child);
  void NextSlowly();
  // Whether `a` is visited before `b` in the current direction.
  bool ComesBefore(const Child& a, const Child& b) const;
  // Builds the heap from the current entries of the children.
  void Gather(Direction direction);
  // Notes the child's entry and returns true. If the child has none, returns false, and fails if
  // the child has an error.
  bool TakeEntry(Child* child);
  // Updates the heap after the first child has moved.
  void TakeMove();
  // Restores the heap's order after the first child's key has changed.
  void Reorder();
  void SiftDown(size_t i);
  // Moves the other children to where they would be if the iteration had come the other way.
  void TurnTo(Direction direction);
  void Fail(absl::Status status);
  template <typename Step>
  void FailIfThrown(Step step);

  const KeyOrder order_;
  std::vector<Child> children_;
  std::vector<Child*> heap_;  // the valid children, the current one first
  size_t second_ = 1;         // index in heap_ of the child that comes next
  Direction direction_ = Direction::kForward;
  absl::Status status_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_MERGING_ITERATOR_H_
