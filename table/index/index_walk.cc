#include "table/index/index_walk.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "table/block/show_key.h"

namespace sstable {

absl::Status SeparatorError(const KeyOrder& order, absl::string_view separator) {
  if (!IsSeparatorOfKind(order, separator)) {
    return absl::FailedPreconditionError(
        absl::StrCat("index key ", ShowKey(order, separator),
                     " is not an internal key, so no key can be looked up; the table has keys of "
                     "another kind"));
  }
  return absl::FailedPreconditionError(absl::StrFormat(
      "index keys are not in the order of %s, so no key can be looked up; the table was "
      "written with another comparator or another kind of keys",
      order.comparator().Name()));
}

}  // namespace sstable
