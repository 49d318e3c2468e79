// "Did you mean ...?"
#ifndef SSTABLE_TOOLS_CLI_SUGGEST_H_
#define SSTABLE_TOOLS_CLI_SUGGEST_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace sstable::tools {

// Returns the number of letters to insert, delete, replace or swap with their neighbour to turn `a`
// into `b` (optimal string alignment).
size_t EditDistance(absl::string_view a, absl::string_view b);

// Returns "; did you mean 'stats'?" for the candidate nearest to `word`; empty if none is near.
// `word` may also be the start of a candidate.
std::string Suggestion(absl::string_view word, absl::Span<const std::string> candidates);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_SUGGEST_H_
