// The keys added to a builder: remembers the last one and checks the next one.
#ifndef SSTABLE_TABLE_KEY_SEQUENCE_H_
#define SSTABLE_TABLE_KEY_SEQUENCE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "table/block/key_order.h"
#include "util/bytes.h"

namespace sstable {

// Ownership: borrows the options' comparator; copies keys.
// Threads:   one at a time.
class KeySequence {
 public:
  explicit KeySequence(const TableBuilderOptions& options)
      : order_(options.comparator, options.key_kind), keep_input_order_(options.keep_input_order) {}

  const KeyOrder& order() const { return order_; }
  uint64_t count() const { return count_; }

  // The last key; empty if there is none. Valid until the next one is added.
  absl::string_view last() const { return last_.view(); }

  // Returns how many leading bytes `key` has in common with the last one.
  size_t SharedWithLast(absl::string_view key) const { return CommonPrefixSize(key, last_.view()); }

  // Returns true if `key` is above the last one because of the first byte in which they differ, the
  // one after the `shared` bytes. False if that byte does not decide, as in orders that are not
  // bytewise.
  bool IsAboveLast(absl::string_view key, size_t shared) const {
    size_t tag_size = 0;
    if (order_.shape() != KeyOrder::Shape::kBytewise) {
      if (order_.shape() == KeyOrder::Shape::kOther || !ParseInternalKey(key).has_value()) {
        return false;
      }
      tag_size = kTagSize;
    }
    return shared + tag_size < std::min(key.size(), last_.size()) &&
           static_cast<unsigned char>(key.data()[shared]) >
               static_cast<unsigned char>(last_.data()[shared]);
  }

  // Returns OK if `key` may come next, otherwise InvalidArgument, without the file's name.
  absl::Status CheckNext(absl::string_view key) const;

  // Returns OK if `separator`, which the comparator made, may be the index key between the last key
  // and `next`, if there is one. Otherwise InvalidArgument, without the file's name.
  absl::Status CheckSeparator(absl::string_view separator,
                              std::optional<absl::string_view> next) const {
    // Our own comparators need no check.
    return order_.shape() != KeyOrder::Shape::kOther ? absl::OkStatus()
                                                     : CheckOtherSeparator(separator, next);
  }

  void Add(absl::string_view key) {
    last_.Assign(key);
    ++count_;
  }

  // Add() for a key of at most kMaxInlineCopy bytes, without a call.
  void AddShort(absl::string_view key) {
    last_.AssignShort(key);
    ++count_;
  }

 private:
  absl::Status CheckOtherSeparator(absl::string_view separator,
                                   std::optional<absl::string_view> next) const;

  const KeyOrder order_;
  const bool keep_input_order_;
  KeyBuffer last_;
  uint64_t count_ = 0;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_KEY_SEQUENCE_H_
