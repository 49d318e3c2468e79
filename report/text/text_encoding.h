// Bytes as text, and back. A terminal, a shell and a line-based file can carry all but the last
// kind.
//
// | encoding | bytes as text                                                                  |
// |----------|--------------------------------------------------------------------------------|
// | escaped  | printable ASCII as it is; \\ \t \n \r; \xHH for every other byte                 |
// | utf8     | the same, but valid UTF-8 as it is, except control and bidirectional characters |
// | hex      | two lower-case digits a byte                                                   |
// | base64   | RFC 4648 section 4, padded                                                     |
// | raw      | the bytes; only in csv, which can quote any byte                               |
#ifndef SSTABLE_REPORT_TEXT_TEXT_ENCODING_H_
#define SSTABLE_REPORT_TEXT_TEXT_ENCODING_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sstable {

enum class TextEncoding { kEscaped, kUtf8, kHex, kBase64, kRaw };

// Returns how to show keys outside of csv, where nothing is quoted, if records use `encoding`.
inline TextEncoding OutsideOfCsv(TextEncoding encoding) {
  return encoding == TextEncoding::kRaw ? TextEncoding::kEscaped : encoding;
}

// Appends `bytes` as text. Only raw text has tabs, line ends and other control characters.
void AppendEncoded(TextEncoding encoding, absl::string_view bytes, std::string* dst);
std::string Encode(TextEncoding encoding, absl::string_view bytes);

// The exact inverse of Encode(). Also accepts what a user may type: in escaped and utf8, any byte
// but the backslash stands for itself; hex digits may be upper-case. Errors: InvalidArgument with
// the position in the text.
absl::StatusOr<std::string> Decode(TextEncoding encoding, absl::string_view text);
// Same, without a copy if nothing in `text` is encoded: returns a view of `text` or of `*buffer`.
absl::StatusOr<absl::string_view> Decode(TextEncoding encoding, absl::string_view text,
                                         std::string* buffer);

}  // namespace sstable

#endif  // SSTABLE_REPORT_TEXT_TEXT_ENCODING_H_
