#include "tools/text_encoding.h"

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace sstable::tools {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

void AppendHexByte(unsigned char byte, std::string* dst) {
  dst->push_back(kHexDigits[byte >> 4]);
  dst->push_back(kHexDigits[byte & 0xf]);
}

// How many bytes at the front of `bytes` stand for themselves in every text: printable ASCII, but
// no backslash.
size_t PlainSize(absl::string_view bytes) {
  size_t size = 0;
  while (size < bytes.size() && bytes[size] >= 0x20 && bytes[size] < 0x7f && bytes[size] != '\\') {
    ++size;
  }
  return size;
}

// Moves what stands for itself from the front of `*bytes` to the end of `*dst`.
void TakePlain(absl::string_view* bytes, std::string* dst) {
  const size_t size = PlainSize(*bytes);
  dst->append(bytes->data(), size);
  bytes->remove_prefix(size);
}

void AppendEscapedByte(char byte, std::string* dst) {
  switch (byte) {
    case '\\':
      dst->append("\\\\");
      return;
    case '\t':
      dst->append("\\t");
      return;
    case '\n':
      dst->append("\\n");
      return;
    case '\r':
      dst->append("\\r");
      return;
    default:
      break;
  }

  dst->append("\\x");
  AppendHexByte(static_cast<unsigned char>(byte), dst);
}

// Characters that would change how the text around them is shown.
bool IsSafeToShow(char32_t c) {
  const bool control = c < 0xa0;                          // C1; ASCII is dealt with elsewhere
  const bool line_end = c == 0x2028 || c == 0x2029;       // line and paragraph separator
  const bool direction = (c >= 0x202a && c <= 0x202e) ||  // embeddings and overrides
                         (c >= 0x2066 && c <= 0x2069) ||  // isolates
                         c == 0x200e || c == 0x200f || c == 0x061c;
  return !control && !line_end && !direction && c != 0xfeff;
}

void AppendEscaped(absl::string_view bytes, std::string* dst) {
  for (TakePlain(&bytes, dst); !bytes.empty(); TakePlain(&bytes, dst)) {
    AppendEscapedByte(bytes.front(), dst);
    bytes.remove_prefix(1);
  }
}

void AppendUtf8(absl::string_view bytes, std::string* dst) {
  for (TakePlain(&bytes, dst); !bytes.empty(); TakePlain(&bytes, dst)) {
    char32_t code_point;
    const size_t size = Utf8CharacterSize(bytes, &code_point);
    if (size > 1 && IsSafeToShow(code_point)) {
      dst->append(bytes.data(), size);
      bytes.remove_prefix(size);
    } else {
      AppendEscapedByte(bytes.front(), dst);
      bytes.remove_prefix(1);
    }
  }
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

absl::Status BadEscape(absl::string_view text, size_t position) {
  return absl::InvalidArgumentError(absl::StrFormat(
      "bad escape at byte %d, \"%s\"; expected \\\\, \\t, \\n, \\r or \\xHH (a "
      "backslash itself is \\\\)",
      position + 1, text.substr(position, absl::StartsWith(text.substr(position), "\\x") ? 4 : 2)));
}

absl::StatusOr<std::string> Unescape(absl::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      bytes.push_back(text[i]);
      continue;
    }
    const size_t start = i;
    if (++i == text.size()) return BadEscape(text, start);
    switch (text[i]) {
      case '\\':
        bytes.push_back('\\');
        break;
      case 't':
        bytes.push_back('\t');
        break;
      case 'n':
        bytes.push_back('\n');
        break;
      case 'r':
        bytes.push_back('\r');
        break;
      case 'x': {
        const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
        if (high < 0 || low < 0) return BadEscape(text, start);
        bytes.push_back(static_cast<char>(high * 16 + low));
        i += 2;
        break;
      }
      default:
        return BadEscape(text, start);
    }
  }
  return bytes;
}

absl::StatusOr<std::string> DecodeHex(absl::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); ++i) {
    if (HexDigit(text[i]) < 0) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "\"%s\" at byte %d is no hex digit", absl::CHexEscape(text.substr(i, 1)), i + 1));
    }
    if (i % 2 == 0) continue;
    bytes.push_back(static_cast<char>(HexDigit(text[i - 1]) * 16 + HexDigit(text[i])));
  }
  if (text.size() % 2 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("hex has ", text.size(), " digits, expected an even number"));
  }
  return bytes;
}

}  // namespace

std::string EscapeControls(absl::string_view text) {
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool is_c1 = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    if (byte >= 0x20 && byte != 0x7f && !is_c1) {
      escaped.push_back(text[i]);
      continue;
    }
    absl::StrAppend(&escaped, "\\x", absl::Hex(byte, absl::kZeroPad2));
    if (!is_c1) continue;
    absl::StrAppend(&escaped, "\\x", absl::Hex(next, absl::kZeroPad2));
    ++i;
  }
  return escaped;
}

size_t Utf8CharacterSize(absl::string_view bytes, char32_t* code_point) {
  if (bytes.empty()) return 0;
  const auto first = static_cast<unsigned char>(bytes[0]);
  if (first < 0x80) {
    *code_point = first;
    return 1;
  }
  // By the first byte: how many bytes, and below which code point so many would be too many.
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  constexpr char32_t kLowest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (first < 0xc2 || first > 0xf4 || bytes.size() < size) return 0;
  char32_t c = first & (0xff >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if ((byte & 0xc0) != 0x80) return 0;
    c = c << 6 | (byte & 0x3f);
  }
  const bool surrogate = c >= 0xd800 && c <= 0xdfff;
  if (c < kLowest[size] || c > 0x10ffff || surrogate) return 0;
  *code_point = c;
  return size;
}

bool IsUtf8(absl::string_view bytes) {
  char32_t code_point;
  while (!bytes.empty()) {
    bytes.remove_prefix(PlainSize(bytes));
    if (bytes.empty()) break;
    const size_t size = Utf8CharacterSize(bytes, &code_point);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

void AppendEncoded(TextEncoding encoding, absl::string_view bytes, std::string* dst) {
  switch (encoding) {
    case TextEncoding::kEscaped:
      return AppendEscaped(bytes, dst);
    case TextEncoding::kUtf8:
      return AppendUtf8(bytes, dst);
    case TextEncoding::kHex:
      for (const char byte : bytes) AppendHexByte(static_cast<unsigned char>(byte), dst);
      return;
    case TextEncoding::kBase64:
      dst->append(absl::Base64Escape(bytes));
      return;
  }
}

std::string Encode(TextEncoding encoding, absl::string_view bytes) {
  std::string text;
  AppendEncoded(encoding, bytes, &text);
  return text;
}

absl::StatusOr<std::string> Decode(TextEncoding encoding, absl::string_view text) {
  switch (encoding) {
    case TextEncoding::kEscaped:
    case TextEncoding::kUtf8:
      return Unescape(text);
    case TextEncoding::kHex:
      return DecodeHex(text);
    case TextEncoding::kBase64:
      break;
  }
  std::string bytes;
  if (!absl::Base64Unescape(text, &bytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", absl::CHexEscape(text.substr(0, 64)), "\" is not base64"));
  }
  return bytes;
}

std::string ShowKey(absl::string_view key) {
  constexpr size_t kShown = 64;
  return absl::StrCat("\"", Encode(TextEncoding::kUtf8, key.substr(0, kShown)),
                      key.size() > kShown ? "\"..." : "\"");
}

}  // namespace sstable::tools
