#include "tests/corpus/prefix4_filter_policy.h"

#include <cstddef>

#include "absl/strings/str_cat.h"

namespace sstable::test {
namespace {

constexpr size_t kPrefixSize = 4;

}  // namespace

void Prefix4FilterPolicy::CreateFilter(absl::Span<const absl::string_view> keys,
                                       std::string* dst) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    const absl::string_view prefix = keys[i].substr(0, kPrefixSize);
    if (i > 0 && prefix == keys[i - 1].substr(0, kPrefixSize)) continue;
    dst->push_back(static_cast<char>(prefix.size()));
    absl::StrAppend(dst, prefix);
  }
}

bool Prefix4FilterPolicy::KeyMayMatch(absl::string_view key, absl::string_view filter) const {
  const absl::string_view wanted = key.substr(0, kPrefixSize);
  while (!filter.empty()) {
    const auto size = static_cast<unsigned char>(filter[0]);
    filter.remove_prefix(1);
    if (size > kPrefixSize || size > filter.size()) return true;  // not a filter of this policy
    if (filter.substr(0, size) == wanted) return true;
    filter.remove_prefix(size);
  }
  return false;
}

}  // namespace sstable::test
