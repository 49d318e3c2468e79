// A part of a table's keys, given by --from, --to and --prefix.
#ifndef SSTABLE_TOOLS_RECORDS_KEY_RANGE_H_
#define SSTABLE_TOOLS_RECORDS_KEY_RANGE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "report/text/text_encoding.h"
#include "sstable/comparator.h"

namespace sstable::tools {

// The bounds are plain keys or user keys.
struct KeyRange {
  std::optional<std::string> from;    // the first key
  std::optional<std::string> to;      // the first key after the range
  std::optional<std::string> prefix;  // the start of every key

  bool IsWhole() const { return !from.has_value() && !to.has_value() && !prefix.has_value(); }

  // Returns where a key is in the order of `comparator`: below zero before the range, zero in it or
  // between its keys, above zero after it.
  int Side(const Comparator& comparator, absl::string_view key) const;

  // Returns true if `key` is in the range.
  bool Contains(const Comparator& comparator, absl::string_view key) const;

  // Returns a key to seek to: no key of the range is below it. nullopt if there is none.
  std::optional<std::string> SeekTarget(const Comparator& comparator) const;

  // Returns a key above all keys of the range; nullopt if there is none.
  std::optional<std::string> End(const Comparator& comparator) const;
};

// Parses "LO:HI", as in --range: `from` and `to`, encoded, with a colon written as \x3a. An empty
// one is no bound. Errors: InvalidArgument.
absl::StatusOr<KeyRange> ParseKeyRange(absl::string_view text, TextEncoding encoding);

// The inverse, for a range without a prefix.
std::string FormatKeyRange(const KeyRange& range, TextEncoding encoding);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_RECORDS_KEY_RANGE_H_
