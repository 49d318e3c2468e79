// Numbers in sentences.
#ifndef SSTABLE_REPORT_TEXT_WORDS_H_
#define SSTABLE_REPORT_TEXT_WORDS_H_

#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace sstable {

// Returns "1 entry", "2 entries" or "3 data blocks".
inline std::string Count(uint64_t count, absl::string_view noun) {
  if (count == 1) return absl::StrCat("1 ", noun);
  if (absl::EndsWith(noun, "try")) {
    return absl::StrCat(count, " ", noun.substr(0, noun.size() - 1), "ies");
  }
  return absl::StrCat(count, " ", noun, "s");
}

}  // namespace sstable

#endif  // SSTABLE_REPORT_TEXT_WORDS_H_
