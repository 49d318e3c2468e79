// A part of a table's keys, as a user gives it with --from, --to and --prefix.
#ifndef SSTABLE_TOOLS_RECORDS_KEY_RANGE_H_
#define SSTABLE_TOOLS_RECORDS_KEY_RANGE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "tools/records/text_encoding.h"

namespace sstable::tools {

// All bounds are of plain keys or of user keys.
struct KeyRange {
  std::optional<std::string> from;    // the first key
  std::optional<std::string> to;      // the first key after the range
  std::optional<std::string> prefix;  // what all of them begin with

  bool IsWhole() const { return !from.has_value() && !to.has_value() && !prefix.has_value(); }

  // Where in the order of `comparator` a key is: below zero before the range, zero in it or between
  // its keys, above zero after it.
  int Side(const Comparator& comparator, absl::string_view key) const;

  // Whether `key` is in the range.
  bool Contains(const Comparator& comparator, absl::string_view key) const;

  // A key that no key in the range is below, to seek to; nullopt if there is none.
  std::optional<std::string> SeekTarget(const Comparator& comparator) const;

  // A key that every key in the range is below; nullopt if there is none.
  std::optional<std::string> End(const Comparator& comparator) const;
};

// A range as `--range LO:HI` has it: `from` and `to`, encoded, where a colon is \x3a; an empty one
// is no bound. Errors: InvalidArgument.
absl::StatusOr<KeyRange> ParseKeyRange(absl::string_view text, TextEncoding encoding);

// The inverse, for a range without a prefix.
std::string FormatKeyRange(const KeyRange& range, TextEncoding encoding);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_RECORDS_KEY_RANGE_H_
