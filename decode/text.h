// Converts the text encodings that programs use in tables to UTF-8.
#ifndef SSTABLE_DECODE_TEXT_H_
#define SSTABLE_DECODE_TEXT_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace sstable {

enum class ByteOrder { kLittle, kBig };

// Unpaired surrogates become U+FFFD. nullopt: an odd number of bytes.
std::optional<std::string> Utf8FromUtf16(absl::string_view bytes, ByteOrder order);

std::string Utf8FromLatin1(absl::string_view bytes);

std::string HexOf(absl::string_view bytes);

}  // namespace sstable

#endif  // SSTABLE_DECODE_TEXT_H_
