// Iterates over the entries of another iterator whose keys are within bounds.
#ifndef SSTABLE_C_BOUNDED_ITERATOR_H_
#define SSTABLE_C_BOUNDED_ITERATOR_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/iterator.h"
#include "sstable/slice.h"

namespace sstable {

struct Bound {
  std::string key;
  bool inclusive = true;
};

struct Bounds {
  std::optional<Bound> lower, upper;  // nullopt: unbounded

  bool empty() const { return !lower.has_value() && !upper.has_value(); }

  // Returns bounds around the keys that begin with `prefix`, in bytewise order.
  static Bounds OfPrefix(absl::string_view prefix);
};

// Ownership: owns `entries`; borrows their comparator, which must outlive it.
class BoundedIterator final : public Iterator {
 public:
  BoundedIterator(std::unique_ptr<Iterator> entries, const Comparator* comparator, Bounds bounds)
      : entries_(std::move(entries)), comparator_(*comparator), bounds_(std::move(bounds)) {}

  bool Valid() const override { return valid_; }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(Slice target) override;
  void Next() override;
  void Prev() override;
  absl::string_view key() const override { return entries_->key(); }
  absl::string_view value() const override { return entries_->value(); }
  absl::Status status() const override { return entries_->status(); }

 private:
  bool IsBelow() const;  // `entries_` is before the lower bound
  bool IsAbove() const;  // `entries_` is after the upper bound

  const std::unique_ptr<Iterator> entries_;
  const Comparator& comparator_;
  const Bounds bounds_;
  bool valid_ = false;
};

}  // namespace sstable

#endif  // SSTABLE_C_BOUNDED_ITERATOR_H_
