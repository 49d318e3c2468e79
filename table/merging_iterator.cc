#include "table/merging_iterator.h"

#include <string>
#include <utility>

#include "absl/base/optimization.h"
#include "sstable/slice.h"
#include "table/builder_options.h"
#include "util/status_util.h"

namespace sstable {

MergingIterator::MergingIterator(const Comparator* comparator, KeyKind kind,
                                 std::vector<std::unique_ptr<Iterator>> children)
    : order_(comparator, kind) {
  for (std::unique_ptr<Iterator>& it : children) {
    TableWalk* const walk = dynamic_cast<TableWalk*>(it.get());
    TableIterator* const table = dynamic_cast<TableIterator*>(it.get());
    children_.push_back({std::move(it), children_.size(), walk, table, {}});
  }
  heap_.reserve(children_.size());
}

MergingIterator::~MergingIterator() = default;

// After an exception in a step, the children may be anywhere.
template <typename Step>
inline void MergingIterator::FailIfThrown(Step step) {
  try {
    step();
  } catch (...) {
    Fail(StatusOfException());
    throw;
  }
}

void MergingIterator::SeekToFirst() {
  FailIfThrown([this] {
    for (Child& child : children_) child.it->SeekToFirst();
    Gather(Direction::kForward);
  });
}

void MergingIterator::SeekToLast() {
  FailIfThrown([this] {
    for (Child& child : children_) child.it->SeekToLast();
    Gather(Direction::kBackward);
  });
}

void MergingIterator::Seek(Slice target) {
  FailIfThrown([&] {
    // The target may be a view into an entry that the first Seek() invalidates, so the others get a
    // copy.
    const std::string copy(target);
    for (Child& child : children_) child.it->Seek(copy);
    Gather(Direction::kForward);
  });
}

void MergingIterator::NextSlowly() {
  FailIfThrown([this] {
    if (ABSL_PREDICT_FALSE(direction_ != Direction::kForward)) TurnTo(Direction::kForward);
    if (ABSL_PREDICT_FALSE(heap_.empty())) return;
    if (ABSL_PREDICT_TRUE(TryStep(heap_[0]))) {
      if (heap_.size() > 1 && !ComesBefore(*heap_[0], *heap_[second_])) Reorder();
      return;
    }
    heap_[0]->it->Next();
    TakeMove();
  });
}

void MergingIterator::Settle(Child* child) {
  FailIfThrown([&] {
    child->walk->Settle();
    TakeMove();
  });
}

void MergingIterator::Prev() {
  FailIfThrown([this] {
    if (ABSL_PREDICT_FALSE(direction_ != Direction::kBackward)) TurnTo(Direction::kBackward);
    if (ABSL_PREDICT_FALSE(heap_.empty())) return;
    heap_[0]->it->Prev();
    TakeMove();
  });
}

inline bool MergingIterator::ComesBefore(const Child& a, const Child& b) const {
  const int order = order_.Compare(a.key, b.key);
  const bool is_ahead = order != 0 ? order < 0 : a.index < b.index;
  return is_ahead == (direction_ == Direction::kForward);
}

void MergingIterator::Gather(Direction direction) {
  direction_ = direction;
  heap_.clear();
  status_ = order_.kind() == KeyKind::kPlain
                ? absl::OkStatus()
                : CheckNotWrapped(order_.kind(), &order_.user_comparator(), {});
  if (!status_.ok()) return;
  for (Child& child : children_) {
    if (TakeEntry(&child)) {
      heap_.push_back(&child);
    } else if (!status_.ok()) {
      return;
    }
  }
  for (size_t i = heap_.size() / 2; i-- > 1;) SiftDown(i);
  if (!heap_.empty()) Reorder();
}

bool MergingIterator::TakeEntry(Child* child) {
  if (ABSL_PREDICT_TRUE(child->it->Valid())) {
    if (child->walk != nullptr) child->table = child->walk->table_iterator();
    child->key = child->it->key();
    return true;
  }
  if (absl::Status status = child->it->status(); !status.ok()) Fail(std::move(status));
  return false;
}

void MergingIterator::TakeMove() {
  if (ABSL_PREDICT_FALSE(!TakeEntry(heap_[0]))) {
    if (!status_.ok()) return;
    heap_[0] = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return;
  }
  Reorder();
}

void MergingIterator::Reorder() {
  SiftDown(0);
  second_ = heap_.size() > 2 && ComesBefore(*heap_[2], *heap_[1]) ? 2 : 1;
}

void MergingIterator::SiftDown(size_t i) {
  Child* const moved = heap_[i];
  for (size_t below; (below = 2 * i + 1) < heap_.size(); i = below) {
    if (below + 1 < heap_.size() && ComesBefore(*heap_[below + 1], *heap_[below])) ++below;
    if (ComesBefore(*moved, *heap_[below])) break;
    heap_[i] = heap_[below];
  }
  heap_[i] = moved;
}

void MergingIterator::TurnTo(Direction direction) {
  if (heap_.empty()) return;
  const Child& current = *heap_[0];
  for (Child& child : children_) {
    if (&child == &current) continue;
    Iterator& it = *child.it;
    it.Seek(current.key);
    const bool is_equal = it.Valid() && order_.Compare(it.key(), current.key) == 0;
    const bool is_ahead = is_equal && child.index < current.index;
    if (direction == Direction::kForward) {
      if (is_ahead) it.Next();
    } else if (it.Valid()) {
      if (!is_ahead) it.Prev();
    } else if (it.status().ok()) {
      it.SeekToLast();
    }
  }
  Gather(direction);  // `current` stays first: the others were moved past it
}

void MergingIterator::Fail(absl::Status status) {
  heap_.clear();
  status_ = std::move(status);
}

std::unique_ptr<Iterator> NewMergingIterator(const Comparator* comparator, KeyKind kind,
                                             std::vector<std::unique_ptr<Iterator>> children) {
  return std::make_unique<MergingIterator>(comparator, kind, std::move(children));
}

}  // namespace sstable
