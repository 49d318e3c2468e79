// Finds text in bytes of any encoding.
#ifndef SSTABLE_TOOLS_DUMP_TEXT_MATCHER_H_
#define SSTABLE_TOOLS_DUMP_TEXT_MATCHER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace re2 {
class RE2;
}

namespace sstable::tools {

struct TextMatcherOptions {
  bool ignore_case = false;
  bool literal = false;  // the pattern is text, not a regular expression
  bool bytes = false;    // compare bytes: \xHH in the pattern is a byte
};

// Matches bytes against an RE2 regular expression. Unless only bytes are compared, they are read
//   - as UTF-8;
//   - if they are not UTF-8, or contain a zero byte, also as UTF-16 of either byte order, starting
//     with the first byte and with the second, since a byte for the encoding often comes first;
//   - if they are not UTF-8, also as Latin-1.
//
// Threads: Matches() may run concurrently. Time is linear in the size of the bytes.
class TextMatcher {
 public:
  // Errors: InvalidArgument if the pattern is not a regular expression, or not UTF-8.
  static absl::StatusOr<std::unique_ptr<TextMatcher>> Create(const std::string& pattern,
                                                             const TextMatcherOptions& options);
  ~TextMatcher();

  bool Matches(absl::string_view bytes) const;

 private:
  TextMatcher();

  std::unique_ptr<re2::RE2> text_;    // for UTF-8; null if bytes are compared
  std::unique_ptr<re2::RE2> latin1_;  // for Latin-1 or bytes; null if no Latin-1 text can match
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DUMP_TEXT_MATCHER_H_
