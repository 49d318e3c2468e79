// The order of a table's keys, with the common orders compared without a virtual call.
#ifndef SSTABLE_TABLE_BLOCK_KEY_ORDER_H_
#define SSTABLE_TABLE_BLOCK_KEY_ORDER_H_

#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "util/bytes.h"

namespace sstable {

// Whether `key` may come after `last` in some order: it is another key, or, of internal keys, an
// older version of the same user key.
inline bool MayFollow(KeyKind kind, absl::string_view last, absl::string_view key) {
  if (kind == KeyKind::kPlain) return last != key;
  return ExtractUserKey(last) != ExtractUserKey(key) || ExtractTag(last) > ExtractTag(key);
}

// Lifetime: borrows `user_comparator`, which must outlive it.
// Threads:  immutable.
class KeyOrder {
 public:
  enum class Shape { kBytewise, kInternalBytewise, kOther };

  // `user_comparator` orders plain keys, or the user keys inside of internal keys.
  KeyOrder(const Comparator* user_comparator, KeyKind kind)
      : internal_(user_comparator),
        kind_(kind),
        shape_(user_comparator != BytewiseComparator() ? Shape::kOther
               : kind == KeyKind::kPlain               ? Shape::kBytewise
                                                       : Shape::kInternalBytewise) {}

  KeyKind kind() const { return kind_; }
  Shape shape() const { return shape_; }

  const Comparator& user_comparator() const { return *internal_.user_comparator(); }

  // The comparator of whole keys. Lives as long as this object.
  const Comparator& comparator() const {
    return kind_ == KeyKind::kInternal ? static_cast<const Comparator&>(internal_)
                                       : *internal_.user_comparator();
  }

  // The part of a key that filters are made of.
  absl::string_view UserKey(absl::string_view key) const {
    return kind_ == KeyKind::kInternal ? ExtractUserKey(key) : key;
  }

  static int CompareBytewise(absl::string_view a, absl::string_view b) {
    return CompareBytes(a, b);
  }

  static int CompareInternalBytewise(absl::string_view a, absl::string_view b) {
    const int order = CompareBytes(ExtractUserKey(a), ExtractUserKey(b));
    if (order != 0) return order;
    const uint64_t a_tag = ExtractTag(a), b_tag = ExtractTag(b);
    return a_tag > b_tag ? -1 : a_tag < b_tag ? 1 : 0;
  }

  int Compare(absl::string_view a, absl::string_view b) const {
    switch (shape_) {
      case Shape::kBytewise:
        return CompareBytewise(a, b);
      case Shape::kInternalBytewise:
        return CompareInternalBytewise(a, b);
      case Shape::kOther:
        break;
    }
    return comparator().Compare(a, b);
  }

 private:
  InternalKeyComparator internal_;
  KeyKind kind_;
  Shape shape_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_KEY_ORDER_H_
