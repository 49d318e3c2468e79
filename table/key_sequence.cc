#include "table/key_sequence.h"

#include "absl/strings/str_cat.h"
#include "table/block/show_key.h"

namespace sstable {

absl::Status KeySequence::CheckNext(absl::string_view key) const {
  if (order_.kind() == KeyKind::kInternal && !ParseInternalKey(key).has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("key ", ShowKey(order_, key),
                     " is not an internal key: expected 8 bytes of sequence and type at its end"));
  }
  if (count_ == 0) return absl::OkStatus();
  if (keep_input_order_) {
    if (MayFollow(order_.kind(), last(), key)) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "key ", ShowKey(order_, key, last()), " equals the one before it, ",
        ShowKey(order_, last(), key),
        ", or is a newer version of its user key, so it is out of order in any comparator"));
  }
  if (order_.Compare(key, last()) > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("key ", ShowKey(order_, key, last()), " is not above the one before it, ",
                   ShowKey(order_, last(), key), ", by ", order_.comparator().Name()));
}

absl::Status KeySequence::CheckOtherSeparator(absl::string_view separator,
                                              std::optional<absl::string_view> next) const {
  if (order_.Compare(separator, last()) < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the comparator ", order_.user_comparator().Name(), " shortens key ",
                     ShowKey(order_, last(), separator), " to ", ShowKey(order_, separator, last()),
                     ", which it orders below that key"));
  }
  if (next.has_value() && order_.Compare(separator, *next) >= 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the comparator ", order_.user_comparator().Name(), " shortens key ",
        ShowKey(order_, last(), separator), " to ", ShowKey(order_, separator, *next),
        ", which it does not order below the next key, ", ShowKey(order_, *next, separator)));
  }
  return absl::OkStatus();
}

}  // namespace sstable
