#include "tools/cli/suggest.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace sstable::tools {

size_t EditDistance(absl::string_view a, absl::string_view b) {
  // The last three rows of the table of distances between prefixes of `a` and of `b`.
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(current);
  }
  return last[b.size()];
}

std::string Suggestion(absl::string_view word, absl::Span<const std::string> candidates) {
  const std::string* best = nullptr;
  const size_t allowed = word.size() <= 3 ? 1 : std::max<size_t>(2, word.size() / 3);
  size_t best_distance = allowed + 1;
  for (const std::string& candidate : candidates) {
    const bool begun = word.size() >= 3 && absl::StartsWith(candidate, word);
    const size_t distance = begun ? 1 : EditDistance(word, candidate);
    if (distance >= best_distance) continue;
    best = &candidate;
    best_distance = distance;
  }
  return best == nullptr ? "" : absl::StrCat("; did you mean '", *best, "'?");
}

}  // namespace sstable::tools
