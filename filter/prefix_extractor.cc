#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"

namespace sstable {

PrefixExtractor PrefixExtractor::FirstBytes(size_t size) {
  return PrefixExtractor(false, '\0', std::max<size_t>(size, 1));
}

PrefixExtractor PrefixExtractor::ThroughDelimiter(char delimiter, size_t count) {
  return PrefixExtractor(true, delimiter, std::max<size_t>(count, 1));
}

std::string PrefixExtractor::Name() const {
  if (!has_delimiter_) return absl::StrCat("first:", count_);
  return absl::StrCat("through:", absl::BytesToHexString(absl::string_view(&delimiter_, 1)), ":",
                      count_);
}

std::optional<PrefixExtractor> PrefixExtractor::Parse(absl::string_view name) {
  // Empty if `name` is a null view.
  const std::vector<absl::string_view> parts = absl::StrSplit(name, ':');
  size_t count = 0;
  if (parts.empty() || !absl::SimpleAtoi(parts.back(), &count) || count == 0) return std::nullopt;
  PrefixExtractor extractor = FirstBytes(count);
  uint32_t delimiter = 0;
  if (parts.size() == 3 && absl::SimpleHexAtoi(parts[1], &delimiter)) {
    extractor = ThroughDelimiter(static_cast<char>(delimiter), count);
  }
  if (extractor.Name() != name) return std::nullopt;  // only the canonical form is valid
  return extractor;
}

std::optional<absl::string_view> PrefixExtractor::PrefixOf(absl::string_view user_key) const {
  if (!has_delimiter_) {
    if (user_key.size() < count_) return std::nullopt;
    return user_key.substr(0, count_);
  }
  size_t end = 0;
  for (size_t i = 0; i < count_; ++i) {
    const size_t at = user_key.find(delimiter_, end);
    if (at == absl::string_view::npos) return std::nullopt;
    end = at + 1;
  }
  return user_key.substr(0, end);
}

}  // namespace sstable
