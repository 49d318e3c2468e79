#include "c/bounded_iterator.h"

#include <string>
#include <utility>

#include "sstable/slice.h"

namespace sstable {

Bounds Bounds::OfPrefix(absl::string_view prefix) {
  Bounds bounds;
  bounds.lower = Bound{std::string(prefix), /*inclusive=*/true};
  // The smallest string greater than all that begin with `prefix`.
  std::string past(prefix);
  while (!past.empty() && past.back() == '\xff') past.pop_back();
  if (past.empty()) return bounds;
  ++past.back();
  bounds.upper = Bound{std::move(past), /*inclusive=*/false};
  return bounds;
}

bool BoundedIterator::IsBelow() const {
  if (!bounds_.lower.has_value()) return false;
  const int order = comparator_.Compare(entries_->key(), bounds_.lower->key);
  return order < 0 || (order == 0 && !bounds_.lower->inclusive);
}

bool BoundedIterator::IsAbove() const {
  if (!bounds_.upper.has_value()) return false;
  const int order = comparator_.Compare(entries_->key(), bounds_.upper->key);
  return order > 0 || (order == 0 && !bounds_.upper->inclusive);
}

void BoundedIterator::SeekToFirst() {
  valid_ = false;
  if (bounds_.lower.has_value()) {
    entries_->Seek(bounds_.lower->key);
    while (entries_->Valid() && IsBelow()) entries_->Next();
  } else {
    entries_->SeekToFirst();
  }
  valid_ = entries_->Valid() && !IsAbove();
}

void BoundedIterator::SeekToLast() {
  valid_ = false;
  if (!bounds_.upper.has_value()) {
    entries_->SeekToLast();
  } else {
    entries_->Seek(bounds_.upper->key);
    if (!entries_->Valid() && entries_->status().ok()) {
      entries_->SeekToLast();
    } else {
      while (entries_->Valid() && IsAbove()) entries_->Prev();
    }
  }
  valid_ = entries_->Valid() && !IsBelow();
}

void BoundedIterator::Seek(Slice target) {
  if (bounds_.lower.has_value() && comparator_.Compare(target, bounds_.lower->key) <= 0) {
    return SeekToFirst();
  }
  valid_ = false;
  entries_->Seek(target);
  valid_ = entries_->Valid() && !IsAbove();
}

void BoundedIterator::Next() {
  valid_ = false;
  entries_->Next();
  valid_ = entries_->Valid() && !IsAbove();
}

void BoundedIterator::Prev() {
  valid_ = false;
  entries_->Prev();
  valid_ = entries_->Valid() && !IsBelow();
}

}  // namespace sstable
