#include "tests/table/script_words.h"

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "sstable/internal_key.h"
#include "tests/support/block_bytes.h"
#include "tests/support/hex.h"

namespace sstable::test {

uint64_t Number(absl::string_view word) {
  if (word == "max") return kMaxSequence;
  if (word == "max64") return ~uint64_t{0};
  uint64_t number = 0;
  EXPECT_TRUE(absl::SimpleAtoi(word, &number)) << word;
  return number;
}

std::string Unescape(absl::string_view word) {
  const size_t star = word.rfind('*');
  uint64_t count = 1;
  if (star != absl::string_view::npos && absl::SimpleAtoi(word.substr(star + 1), &count)) {
    word = word.substr(0, star);
  }
  std::string bytes, repeated;
  EXPECT_TRUE(absl::CUnescape(word, &bytes)) << word;
  while (count-- > 0) repeated += bytes;
  return repeated;
}

Words Fields(absl::string_view list) { return absl::StrSplit(list, ',', absl::SkipEmpty()); }

std::string Bytes(const Words& words, size_t first) {
  std::string bytes;
  for (size_t i = first; i < words.size(); ++i) {
    absl::string_view word = words[i];
    if (absl::ConsumePrefix(&word, "hex:")) {
      bytes += FromHex(word);
    } else if (absl::ConsumePrefix(&word, "entry:")) {
      const std::vector<std::string> parts = absl::StrSplit(word, ',');
      bytes += EncodeEntry(static_cast<uint32_t>(Number(parts.at(0))), Unescape(parts.at(1)),
                           Unescape(parts.at(2)));
    } else if (absl::ConsumePrefix(&word, "restarts:")) {
      std::vector<uint32_t> restarts;
      for (const std::string& field : Fields(word)) {
        restarts.push_back(static_cast<uint32_t>(Number(field)));
      }
      bytes += EncodeRestarts(restarts);
    } else {
      bytes += Unescape(word);
    }
  }
  return bytes;
}

Words Expand(const Words& words, size_t first) {
  Words expanded;
  for (size_t i = first; i < words.size(); ++i) {
    const absl::string_view word = words[i];
    const size_t open = word.find('['), dots = word.find(".."), close = word.find(']');
    if (open == absl::string_view::npos || dots == absl::string_view::npos) {
      expanded.emplace_back(word);
      continue;
    }
    const std::vector<std::string> range =
        absl::StrSplit(word.substr(dots + 2, close - dots - 2), ':');
    const uint64_t from = Number(word.substr(open + 1, dots - open - 1)), to = Number(range[0]);
    const uint64_t step = range.size() > 1 ? Number(range[1]) : 1;
    for (uint64_t n = 0; n <= (to > from ? to - from : from - to); n += step) {
      const std::string number = absl::StrCat(to > from ? from + n : from - n);
      expanded.push_back(
          absl::StrCat(word.substr(0, open), number,
                       absl::StrReplaceAll(word.substr(close + 1), {{"#", number}})));
    }
  }
  return expanded;
}

std::string ShowBytes(absl::string_view bytes) {
  if (bytes.size() <= 40) return absl::CHexEscape(bytes);
  return absl::StrCat(absl::CHexEscape(bytes.substr(0, 8)), "... (", bytes.size(), " bytes)");
}

std::string Lines(const Words& lines) {
  return lines.empty() ? "" : absl::StrCat(absl::StrJoin(lines, "\n"), "\n");
}

std::string ShowStatus(const absl::Status& status) {
  if (status.ok()) return "OK";
  return absl::StrCat(absl::StatusCodeToString(status.code()), ": ", status.message());
}

}  // namespace sstable::test
