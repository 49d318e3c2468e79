#include "report/text/text_encoding.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable {
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

// Removes the escape at the front of `*text` and returns its byte; nullopt if there is none.
std::optional<char> TakeEscape(absl::string_view* text) {
  if (text->size() < 2) return std::nullopt;
  const char letter = (*text)[1];
  const int high = letter == 'x' && text->size() >= 4 ? HexDigit((*text)[2]) : -1;
  const int low = letter == 'x' && text->size() >= 4 ? HexDigit((*text)[3]) : -1;
  text->remove_prefix(high < 0 ? 2 : 4);
  switch (letter) {
    case '\\':
      return '\\';
    case 't':
      return '\t';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 'x':
      if (high < 0 || low < 0) return std::nullopt;
      return static_cast<char>(high * 16 + low);
    default:
      return std::nullopt;
  }
}

absl::Status Unescape(absl::string_view text, std::string* bytes) {
  bytes->clear();
  absl::string_view rest = text;
  while (!rest.empty()) {
    const absl::string_view plain = rest.substr(0, rest.find('\\'));
    bytes->append(plain.data(), plain.size());
    rest.remove_prefix(plain.size());
    if (rest.empty()) break;
    const size_t start = text.size() - rest.size();
    const std::optional<char> byte = TakeEscape(&rest);
    if (!byte.has_value()) return BadEscape(text, start);
    bytes->push_back(*byte);
  }
  return absl::OkStatus();
}

absl::Status DecodeHex(absl::string_view text, std::string* bytes) {
  bytes->clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (HexDigit(text[i]) < 0) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "\"%s\" at byte %d is not a hex digit", absl::CHexEscape(text.substr(i, 1)), i + 1));
    }
    if (i % 2 == 0) continue;
    bytes->push_back(static_cast<char>(HexDigit(text[i - 1]) * 16 + HexDigit(text[i])));
  }
  if (text.size() % 2 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("hex has ", text.size(), " digits, expected an even number"));
  }
  return absl::OkStatus();
}

absl::Status DecodeBase64(absl::string_view text, std::string* bytes) {
  if (absl::Base64Unescape(text, bytes)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("\"", absl::CHexEscape(text.substr(0, 64)), "\" is not base64"));
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
    case TextEncoding::kRaw:
      dst->append(bytes.data(), bytes.size());
      return;
  }
}

std::string Encode(TextEncoding encoding, absl::string_view bytes) {
  std::string text;
  AppendEncoded(encoding, bytes, &text);
  return text;
}

absl::StatusOr<std::string> Decode(TextEncoding encoding, absl::string_view text) {
  std::string buffer;
  ASSIGN_OR_RETURN(const absl::string_view bytes, Decode(encoding, text, &buffer));
  return std::string(bytes);
}

absl::StatusOr<absl::string_view> Decode(TextEncoding encoding, absl::string_view text,
                                         std::string* buffer) {
  switch (encoding) {
    case TextEncoding::kEscaped:
    case TextEncoding::kUtf8:
      if (!absl::StrContains(text, '\\')) return text;
      RETURN_IF_ERROR(Unescape(text, buffer));
      break;
    case TextEncoding::kHex:
      RETURN_IF_ERROR(DecodeHex(text, buffer));
      break;
    case TextEncoding::kBase64:
      RETURN_IF_ERROR(DecodeBase64(text, buffer));
      break;
    case TextEncoding::kRaw:
      return text;
  }
  return *buffer;
}

}  // namespace sstable
