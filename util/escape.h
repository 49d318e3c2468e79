// Bytes as text for messages and terminals: always visible and on one line.
// report/text/text_encoding.h decodes it.
#ifndef SSTABLE_UTIL_ESCAPE_H_
#define SSTABLE_UTIL_ESCAPE_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace sstable {

// Appends printable ASCII unchanged; \\ \t \n \r; \xHH for every other byte.
void AppendEscaped(absl::string_view bytes, std::string* dst);

// AppendEscaped(), except that valid UTF-8 stays unchanged unless it is unsafe to show.
void AppendEscapedUtf8(absl::string_view bytes, std::string* dst);

// False for characters that would change how the text around them is shown: controls, including
// those beyond ASCII, which some terminals obey; line ends; bidirectional marks, embeddings,
// overrides and isolates.
bool IsSafeToShow(char32_t code_point);

// Escapes unsafe characters, and bytes that are not UTF-8, as \xHH, so that a file name can't move
// the cursor or change how the text next to it reads. For reports and messages that people read.
std::string EscapeControls(absl::string_view text);

// EscapeControls() for JSON: \uHHHH, which keeps its meaning. `json` is UTF-8.
std::string EscapeControlsOfJson(absl::string_view json);

// Appends a JSON string with its quotes; unsafe characters become \uHHHH. `utf8` is UTF-8.
void AppendJsonString(absl::string_view utf8, std::string* dst);

// Shows bytes in a message: quoted, valid UTF-8 as it is, cut after 64 bytes. A `start` above 0
// skips that many bytes: [900 bytes]..."and so on". Keys are shown by ShowKey()
// (table/block/show_key.h), which handles internal keys.
std::string ShowBytes(absl::string_view bytes, size_t start = 0);

// Returns the size of the UTF-8 character at the front of `bytes` and sets its code point; 0 if
// there is none.
size_t Utf8CharacterSize(absl::string_view bytes, char32_t* code_point);

// Returns true if all of `bytes` is UTF-8.
bool IsUtf8(absl::string_view bytes);

}  // namespace sstable

#endif  // SSTABLE_UTIL_ESCAPE_H_
