// Walks several iterators as one, in key order: the tables of a database, or of a level of it.
#ifndef SSTABLE_MERGING_ITERATOR_H_
#define SSTABLE_MERGING_ITERATOR_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"

namespace sstable {

class KeyOrder;

// Every entry of every child is met, equal keys in the order of their children: who puts the newest
// first meets the newest first. Backwards it is exactly the reverse.
//
// Ownership: owns its children; borrows the comparator, which must outlive it.
// Errors:    a child's error ends the walk, until the next Seek. To go on with the others would
//            pass older versions off for those that can't be read. An exception out of a step
//            ends it likewise, with its status, before it goes on to the caller.
class MergingIterator final : public Iterator {
 public:
  // Keys of each child are `kind` and ascend strictly by `comparator` (of user keys, as in
  // TableReaderOptions).
  MergingIterator(const Comparator* comparator, KeyKind kind,
                  std::vector<std::unique_ptr<Iterator>> children);
  ~MergingIterator() override;

  bool Valid() const override { return !heap_.empty(); }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(absl::string_view target) override;
  void Next() override;
  void Prev() override;
  absl::string_view key() const override { return heap_[0]->key; }
  absl::string_view value() const override { return heap_[0]->it->value(); }
  absl::Status status() const override { return status_; }

 private:
  enum class Direction { kForward, kBackward };
  struct Child {
    std::unique_ptr<Iterator> it;
    size_t index;
    absl::string_view key;  // of its entry: comparing keys should cost no virtual call
  };

  // Whether `a` is met before `b` in the direction of the walk.
  bool ComesBefore(const Child& a, const Child& b) const;
  // Makes the heap of the entries that the children are on.
  void Gather(Direction direction);
  // Takes note of the entry that the first child has moved to.
  void TakeMove();
  void SiftDown(size_t i);
  // Takes the other children to where a walk that came the other way has them.
  void TurnTo(Direction direction);
  void Fail(absl::Status status);
  template <typename Step>
  void FailIfThrown(Step step);

  const std::unique_ptr<const KeyOrder> order_;
  std::vector<Child> children_;
  std::vector<Child*> heap_;  // those that have an entry, the one that is next first
  Direction direction_ = Direction::kForward;
  absl::Status status_;
};

}  // namespace sstable

#endif  // SSTABLE_MERGING_ITERATOR_H_
