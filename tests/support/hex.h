// Bytes as a reader of a test can take them in: hex, in groups.
#ifndef SSTABLE_TESTS_SUPPORT_HEX_H_
#define SSTABLE_TESTS_SUPPORT_HEX_H_

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace sstable::test {

// EXPECT_EQ(ToHex(bytes), Hex("000301 636172 31")): the blanks are for the eye only.
inline std::string ToHex(absl::string_view bytes) { return absl::BytesToHexString(bytes); }
inline std::string Hex(absl::string_view groups) {
  return absl::StrReplaceAll(groups, {{" ", ""}});
}

inline std::string FromHex(absl::string_view groups) { return absl::HexStringToBytes(Hex(groups)); }

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_HEX_H_
