#include "tools/records/text_encoding.h"

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "util/escape.h"

namespace sstable::tools {
namespace {

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
          "\"%s\" at byte %d is not a hex digit", absl::CHexEscape(text.substr(i, 1)), i + 1));
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

void AppendEncoded(TextEncoding encoding, absl::string_view bytes, std::string* dst) {
  switch (encoding) {
    case TextEncoding::kEscaped:
      return AppendEscaped(bytes, dst);
    case TextEncoding::kUtf8:
      return AppendEscapedUtf8(bytes, dst);
    case TextEncoding::kHex:
      dst->append(absl::BytesToHexString(bytes));
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

}  // namespace sstable::tools
