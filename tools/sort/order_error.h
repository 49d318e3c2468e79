// Errors for a record that can't follow another one in a table, with the places of both.
#ifndef SSTABLE_TOOLS_SORT_ORDER_ERROR_H_
#define SSTABLE_TOOLS_SORT_ORDER_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "table/block/key_order.h"

namespace sstable::tools {

// Places are given as in messages: "data.tsv:12".
absl::Status DuplicateKeyError(const KeyOrder& order, absl::string_view key,
                               absl::string_view place, absl::string_view first_place);

// For records that `sst build` was not asked to sort.
absl::Status KeyOrderError(const KeyOrder& order, absl::string_view key, absl::string_view place,
                           absl::string_view last_key, absl::string_view last_place);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_SORT_ORDER_ERROR_H_
