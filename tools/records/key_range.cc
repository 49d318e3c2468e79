#include "tools/records/key_range.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable::tools {

int KeyRange::Side(const Comparator& comparator, absl::string_view key) const {
  if (from.has_value() && comparator.Compare(key, *from) < 0) return -1;
  if (to.has_value() && comparator.Compare(key, *to) >= 0) return 1;
  // Keys with a prefix are known to be contiguous only in bytewise order.
  if (prefix.has_value() && &comparator == BytewiseComparator() &&
      !absl::StartsWith(key, *prefix)) {
    return key < *prefix ? -1 : 1;
  }
  return 0;
}

bool KeyRange::Contains(const Comparator& comparator, absl::string_view key) const {
  return Side(comparator, key) == 0 && (!prefix.has_value() || absl::StartsWith(key, *prefix));
}

std::optional<std::string> KeyRange::SeekTarget(const Comparator& comparator) const {
  if (!prefix.has_value() || &comparator != BytewiseComparator()) return from;
  return from.has_value() && *from > *prefix ? from : prefix;
}

std::optional<std::string> KeyRange::End(const Comparator& comparator) const {
  if (!prefix.has_value() || &comparator != BytewiseComparator()) return to;
  // The prefix without its trailing 0xff bytes, which can't be raised, and with the last remaining
  // byte raised.
  std::string end = prefix->substr(0, prefix->find_last_not_of('\xff') + 1);
  if (end.empty()) return to;
  end.back() = static_cast<char>(end.back() + 1);
  return to.has_value() && *to < end ? to : end;
}

absl::StatusOr<KeyRange> ParseKeyRange(absl::string_view text, TextEncoding encoding) {
  const std::vector<absl::string_view> bounds = absl::StrSplit(text, ':');
  if (bounds.size() != 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a range LO:HI, with a colon in a key as \\x3a, found ", ShowBytes(text)));
  }
  KeyRange range;
  if (!bounds[0].empty()) {
    ASSIGN_OR_RETURN(range.from, Decode(encoding, bounds[0]));
  }
  if (!bounds[1].empty()) {
    ASSIGN_OR_RETURN(range.to, Decode(encoding, bounds[1]));
  }
  return range;
}

std::string FormatKeyRange(const KeyRange& range, TextEncoding encoding) {
  const auto format = [encoding](const std::optional<std::string>& key) {
    return absl::StrReplaceAll(Encode(encoding, key.value_or("")), {{":", "\\x3a"}});
  };
  return absl::StrCat(format(range.from), ":", format(range.to));
}

}  // namespace sstable::tools
