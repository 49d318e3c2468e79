// Bytes as text for messages and terminals: always in one line and visible.
// tools/records/text_encoding.h decodes it.
#ifndef SSTABLE_UTIL_ESCAPE_H_
#define SSTABLE_UTIL_ESCAPE_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace sstable {

// Appends printable ASCII as it is; \\ \t \n \r; \xHH for every other byte.
void AppendEscaped(absl::string_view bytes, std::string* dst);

// The same, but valid UTF-8 as it is, except for control and bidirectional characters.
void AppendEscapedUtf8(absl::string_view bytes, std::string* dst);

// False for characters that would change how the text around them is shown: controls, also those
// beyond ASCII, which some terminals obey; ends of lines; marks, embeddings, overrides and isolates
// of direction.
bool IsSafeToShow(char32_t code_point);

// `text` with unsafe characters, and bytes that are not UTF-8, as \xHH, so that the name of a file
// can't move the cursor or change what is read beside it. For reports and messages that people
// read.
std::string EscapeControls(absl::string_view text);

// Does so in JSON, as \uHHHH, which keeps its meaning. `json` is UTF-8.
std::string EscapeControlsOfJson(absl::string_view json);

// Bytes in a message: in quotes, with their UTF-8, and cut after 64 bytes. From `start` on, which
// is inside: [900 bytes]..."and so on". A key is shown by ShowKey() (table/block/show_key.h), which
// handles internal keys.
std::string ShowBytes(absl::string_view bytes, size_t start = 0);

// The size of the UTF-8 character at the front of `bytes`, and its code point; 0 if there is none.
size_t Utf8CharacterSize(absl::string_view bytes, char32_t* code_point);

// Whether all of `bytes` is UTF-8.
bool IsUtf8(absl::string_view bytes);

}  // namespace sstable

#endif  // SSTABLE_UTIL_ESCAPE_H_
