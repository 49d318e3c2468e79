// Converts the text encodings that programs use in tables to UTF-8.
#ifndef SSTABLE_DECODE_TEXT_H_
#define SSTABLE_DECODE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace sstable {

enum class ByteOrder { kLittle, kBig };

// Appends UTF-16 as UTF-8. An unpaired surrogate becomes U+FFFD, and the result is then false. An
// odd last byte is ignored.
bool AppendUtf16(absl::string_view bytes, ByteOrder order, std::string* out);

void AppendLatin1(absl::string_view bytes, std::string* out);

// Appends UTF-8. Each byte that is not part of a character becomes U+FFFD.
void AppendUtf8(absl::string_view bytes, std::string* out);

}  // namespace sstable

#endif  // SSTABLE_DECODE_TEXT_H_
