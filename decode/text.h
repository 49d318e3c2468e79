// Converts the text encodings that programs use in tables to UTF-8.
#ifndef SSTABLE_DECODE_TEXT_H_
#define SSTABLE_DECODE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace sstable {

enum class ByteOrder { kLittle, kBig };

// Appends UTF-16 as UTF-8. Returns false, with U+FFFD in place of what is wrong, if a surrogate is
// unpaired. An odd last byte is ignored.
bool AppendUtf16(absl::string_view bytes, ByteOrder order, std::string* out);

void AppendLatin1(absl::string_view bytes, std::string* out);

// Appends UTF-8, with U+FFFD in place of each byte that is not of a character.
void AppendUtf8(absl::string_view bytes, std::string* out);

}  // namespace sstable

#endif  // SSTABLE_DECODE_TEXT_H_
