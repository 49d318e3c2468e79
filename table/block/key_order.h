// The order of a table's keys. The common orders are compared without a virtual call.
#ifndef SSTABLE_TABLE_BLOCK_KEY_ORDER_H_
#define SSTABLE_TABLE_BLOCK_KEY_ORDER_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "util/bytes.h"

namespace sstable {

// Returns true if there is an order in which `key` may follow `last`: the two differ and, if they
// are versions of the same user key, `key` is the older one.
inline bool MayFollow(KeyKind kind, absl::string_view last, absl::string_view key) {
  if (kind == KeyKind::kPlain) return last != key;
  return ExtractUserKey(last) != ExtractUserKey(key) || ExtractTag(last) > ExtractTag(key);
}

// Above the tag of every version.
inline constexpr uint64_t kNewestTag = SeekTag(kMaxSequence);

// A key to search for, with its tag separate, so that a lookup of a user key need not build an
// internal key.
struct LookupKey {
  absl::string_view user_key;  // for plain keys, the key
  uint64_t tag = kNewestTag;   // internal keys only
};

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

  // The comparator of full keys. Lives as long as this object.
  const Comparator& comparator() const {
    return kind_ == KeyKind::kInternal ? static_cast<const Comparator&>(internal_)
                                       : *internal_.user_comparator();
  }

  // The part of a key that filters contain.
  absl::string_view UserKey(absl::string_view key) const {
    return kind_ == KeyKind::kInternal ? ExtractUserKey(key) : key;
  }

  LookupKey Split(absl::string_view key) const {
    if (kind_ == KeyKind::kPlain) return {key};
    return {ExtractUserKey(key), ExtractTag(key)};
  }

  static int CompareBytewise(absl::string_view a, absl::string_view b) {
    return CompareBytes(a, b);
  }

  static int CompareInternalBytewise(absl::string_view a, const LookupKey& b) {
    const int order = CompareBytes(ExtractUserKey(a), b.user_key);
    return order != 0 ? order : CompareTags(ExtractTag(a), b.tag);
  }
  static int CompareInternalBytewise(absl::string_view a, absl::string_view b) {
    return CompareInternalBytewise(a, {ExtractUserKey(b), ExtractTag(b)});
  }

  int Compare(absl::string_view a, absl::string_view b) const { return Compare(a, Split(b)); }
  int Compare(absl::string_view a, const LookupKey& b) const {
    switch (shape_) {
      case Shape::kBytewise:
        return CompareBytewise(a, b.user_key);
      case Shape::kInternalBytewise:
        return CompareInternalBytewise(a, b);
      case Shape::kOther:
        break;
    }
    const int order = user_comparator().Compare(UserKey(a), b.user_key);
    return order != 0 || kind_ == KeyKind::kPlain ? order : CompareTags(ExtractTag(a), b.tag);
  }

  bool HasUserKey(absl::string_view key, absl::string_view user_key) const {
    return user_comparator().Compare(UserKey(key), user_key) == 0;
  }

 private:
  // The newest version comes first.
  static int CompareTags(uint64_t a, uint64_t b) { return a > b ? -1 : a < b ? 1 : 0; }

  InternalKeyComparator internal_;
  KeyKind kind_;
  Shape shape_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_KEY_ORDER_H_
