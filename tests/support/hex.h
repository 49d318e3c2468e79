// Bytes in a readable form: hex, in groups.
#ifndef SSTABLE_TESTS_SUPPORT_HEX_H_
#define SSTABLE_TESTS_SUPPORT_HEX_H_

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace sstable::test {

// EXPECT_EQ(ToHex(bytes), Hex("000301 636172 31")): the spaces are only for readability.
inline std::string ToHex(absl::string_view bytes) { return absl::BytesToHexString(bytes); }
inline std::string Hex(absl::string_view groups) {
  return absl::StrReplaceAll(groups, {{" ", ""}});
}

// Abseil's HexStringToBytes() has a different signature in each version.
inline std::string FromHex(absl::string_view groups) {
  const std::string digits = Hex(groups);
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_HEX_H_
