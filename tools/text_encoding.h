// Bytes as text that a terminal, a shell and a line-based file can carry, and back.
//
// | encoding | bytes as text                                                                  |
// |----------|--------------------------------------------------------------------------------|
// | escaped  | printable ASCII as it is; \\ \t \n \r; \xHH for every other byte                 |
// | utf8     | the same, but valid UTF-8 as it is, save control and bidirectional characters  |
// | hex      | two lower-case digits a byte                                                   |
// | base64   | RFC 4648 section 4, padded                                                     |
#ifndef SSTABLE_TOOLS_TEXT_ENCODING_H_
#define SSTABLE_TOOLS_TEXT_ENCODING_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sstable::tools {

enum class TextEncoding { kEscaped, kUtf8, kHex, kBase64 };

// Appends `bytes` as text without tabs, line ends or other control characters.
void AppendEncoded(TextEncoding encoding, absl::string_view bytes, std::string* dst);
std::string Encode(TextEncoding encoding, absl::string_view bytes);

// The exact inverse: Decode(e, Encode(e, bytes)) is `bytes`. Also takes what a user may type: with
// escaped and utf8 every byte but the backslash stands for itself; hex may be in capitals. Errors:
// InvalidArgument naming the place in the text.
absl::StatusOr<std::string> Decode(TextEncoding encoding, absl::string_view text);

// A key for a message: escaped, in quotes, and cut after 64 bytes.
std::string ShowKey(absl::string_view key);

// `text` with control characters (also those that UTF-8 has behind ASCII, which some terminals
// obey) as \xHH, so that the name of a file can't move the cursor or colour what follows. For
// reports and messages that people read; JSON has an escape of its own.
std::string EscapeControls(absl::string_view text);

// The size of the UTF-8 character at the front of `bytes`, and its code point; 0 if there is none.
size_t Utf8CharacterSize(absl::string_view bytes, char32_t* code_point);

// Whether all of `bytes` is UTF-8.
bool IsUtf8(absl::string_view bytes);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_TEXT_ENCODING_H_
