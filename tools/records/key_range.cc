#include "tools/records/key_range.h"

#include "absl/strings/match.h"

namespace sstable::tools {

int KeyRange::Side(const Comparator& comparator, absl::string_view key) const {
  if (from.has_value() && comparator.Compare(key, *from) < 0) return -1;
  if (to.has_value() && comparator.Compare(key, *to) >= 0) return 1;
  // Where the keys with a prefix are is only known of bytewise order.
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
  // The prefix with its last byte raised, once the bytes that can't be raised are cut off.
  std::string end = prefix->substr(0, prefix->find_last_not_of('\xff') + 1);
  if (end.empty()) return to;
  end.back() = static_cast<char>(end.back() + 1);
  return to.has_value() && *to < end ? to : end;
}

}  // namespace sstable::tools
