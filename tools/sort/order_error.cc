#include "tools/sort/order_error.h"

#include "absl/strings/str_cat.h"
#include "sstable/comparator.h"
#include "table/block/show_key.h"

namespace sstable::tools {

absl::Status DuplicateKeyError(const KeyOrder& order, absl::string_view key,
                               absl::string_view place, absl::string_view first_place) {
  return absl::InvalidArgumentError(
      absl::StrCat(place, ": key ", ShowKey(order, key), " was already given, at ", first_place));
}

absl::Status KeyOrderError(const KeyOrder& order, absl::string_view key, absl::string_view place,
                           absl::string_view last_key, absl::string_view last_place) {
  return absl::InvalidArgumentError(absl::StrCat(
      place, ": key ", ShowKey(order, key, last_key), " comes before ",
      ShowKey(order, last_key, key), " of ", last_place, " by ", order.user_comparator().Name(),
      "; --sort sorts the records; --comparator as-is keeps their order, for a table in another "
      "order"));
}

}  // namespace sstable::tools
