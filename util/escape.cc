#include "util/escape.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "util/coding.h"

namespace sstable {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

void AppendHexByte(unsigned char byte, std::string* dst) {
  dst->push_back(kHexDigits[byte >> 4]);
  dst->push_back(kHexDigits[byte & 0xf]);
}

// True for bytes that are never escaped: printable ASCII except the backslash.
constexpr bool IsPlain(char c) { return c >= 0x20 && c < 0x7f && c != '\\'; }

// Returns a number whose lowest set bit is the high bit of the first of 8 bytes that needs an
// escape; 0 if none does. Borrows and carries reach only bytes after that one.
uint64_t FirstOddByte(uint64_t bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  const uint64_t below_space = (bytes - 0x20 * kOnes) & ~bytes;
  const uint64_t above_tilde = (bytes + kOnes) | bytes;
  const uint64_t difference = bytes ^ ('\\' * kOnes);
  const uint64_t backslash = (difference - kOnes) & ~difference;
  return (below_space | above_tilde | backslash) & (0x80 * kOnes);
}

// Returns the number of bytes at the front of `bytes` that need no escape.
size_t PlainSize(absl::string_view bytes) {
  size_t size = 0;
  for (; bytes.size() - size >= 8; size += 8) {
    const uint64_t odd = FirstOddByte(DecodeFixed64(bytes.data() + size));
    if (odd != 0) return size + static_cast<size_t>(__builtin_ctzll(odd)) / 8;
  }
  while (size < bytes.size() && IsPlain(bytes[size])) ++size;
  return size;
}

// Moves the bytes at the front of `*bytes` that need no escape to the end of `*dst`.
void TakePlain(absl::string_view* bytes, std::string* dst) {
  const size_t size = PlainSize(*bytes);
  dst->append(bytes->data(), size);
  bytes->remove_prefix(size);
}

// True for the bytes that can begin a character that is escaped in JSON.
constexpr std::array<bool, 256> kMayBeEscapedInJson = [] {
  std::array<bool, 256> bytes = {};
  for (size_t byte = 0; byte < 0x20; ++byte) bytes[byte] = true;
  for (const unsigned byte : {unsigned{'"'}, unsigned{'\\'}, 0x7fu}) bytes[byte] = true;
  // The first bytes of characters that are unsafe to show: U+0080 to U+009F, U+061C, U+200E to
  // U+2069, U+FEFF.
  for (const unsigned byte : {0xc2u, 0xd8u, 0xe2u, 0xefu}) bytes[byte] = true;
  return bytes;
}();

// A byte as it is shown: itself if it is plain, otherwise an escape.
struct ShownByte {
  std::array<char, 4> text;
  uint8_t size;
};

constexpr std::array<ShownByte, 256> kShownBytes = [] {
  std::array<ShownByte, 256> shown = {};
  for (size_t byte = 0; byte < 256; ++byte) {
    shown[byte] = {{'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 0xf]}, 4};
    if (IsPlain(static_cast<char>(byte))) shown[byte] = {{static_cast<char>(byte)}, 1};
  }
  shown['\\'] = {{'\\', '\\'}, 2};
  shown['\t'] = {{'\\', 't'}, 2};
  shown['\n'] = {{'\\', 'n'}, 2};
  shown['\r'] = {{'\\', 'r'}, 2};
  return shown;
}();

}  // namespace

void AppendEscaped(absl::string_view bytes, std::string* dst) {
  for (TakePlain(&bytes, dst); !bytes.empty(); TakePlain(&bytes, dst)) {
    // Where one byte needs an escape, more may be near: several at once, without a branch for each.
    char text[16 * sizeof(ShownByte::text)];
    size_t size = 0;
    const absl::string_view piece = bytes.substr(0, 16);
    for (const char byte : piece) {
      const ShownByte& shown = kShownBytes[static_cast<unsigned char>(byte)];
      std::memcpy(text + size, shown.text.data(), sizeof(shown.text));
      size += shown.size;
    }
    dst->append(text, size);
    bytes.remove_prefix(piece.size());
  }
}

void AppendEscapedUtf8(absl::string_view bytes, std::string* dst) {
  for (TakePlain(&bytes, dst); !bytes.empty(); TakePlain(&bytes, dst)) {
    char32_t code_point;
    const size_t size = Utf8CharacterSize(bytes, &code_point);
    if (size > 1 && IsSafeToShow(code_point)) {
      dst->append(bytes.data(), size);
      bytes.remove_prefix(size);
    } else {
      const ShownByte& shown = kShownBytes[static_cast<unsigned char>(bytes.front())];
      dst->append(shown.text.data(), shown.size);
      bytes.remove_prefix(1);
    }
  }
}

bool IsSafeToShow(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
  const bool line_end = c == 0x2028 || c == 0x2029;       // line and paragraph separator
  const bool direction = (c >= 0x202a && c <= 0x202e) ||  // embeddings and overrides
                         (c >= 0x2066 && c <= 0x2069) ||  // isolates
                         c == 0x200e || c == 0x200f || c == 0x061c;
  return !control && !line_end && !direction && c != 0xfeff;
}

std::string EscapeControls(absl::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    char32_t code_point;
    const size_t size = Utf8CharacterSize(text, &code_point);
    if (size > 0 && IsSafeToShow(code_point)) {
      escaped.append(text.data(), size);
      text.remove_prefix(size);
    } else {
      escaped.append("\\x");
      AppendHexByte(static_cast<unsigned char>(text.front()), &escaped);
      text.remove_prefix(1);
    }
  }
  return escaped;
}

std::string EscapeControlsOfJson(absl::string_view json) {
  std::string escaped;
  while (!json.empty()) {
    char32_t code_point;
    const size_t size = Utf8CharacterSize(json, &code_point);
    if (size > 0 && !IsSafeToShow(code_point)) {
      absl::StrAppend(&escaped, "\\u",
                      absl::Hex(static_cast<uint32_t>(code_point), absl::kZeroPad4));
    } else {
      escaped.append(json.data(), std::max<size_t>(size, 1));
    }
    json.remove_prefix(std::max<size_t>(size, 1));
  }
  return escaped;
}

void AppendJsonString(absl::string_view utf8, std::string* dst) {
  dst->push_back('"');
  while (!utf8.empty()) {
    size_t plain = 0;
    while (plain < utf8.size() && !kMayBeEscapedInJson[static_cast<unsigned char>(utf8[plain])]) {
      ++plain;
    }
    dst->append(utf8.data(), plain);
    utf8.remove_prefix(plain);
    if (utf8.empty()) break;
    char32_t c = 0;
    const size_t size = Utf8CharacterSize(utf8, &c);
    if (c == '"' || c == '\\') {
      dst->push_back('\\');
      dst->push_back(utf8.front());
    } else if (!IsSafeToShow(c)) {
      absl::StrAppend(dst, "\\u", absl::Hex(static_cast<uint32_t>(c), absl::kZeroPad4));
    } else {
      dst->append(utf8.data(), size);
    }
    utf8.remove_prefix(size);
  }
  dst->push_back('"');
}

std::string ShowBytes(absl::string_view bytes, size_t start) {
  constexpr size_t kShown = 64;
  std::string text = start > 0 ? absl::StrCat("[", start, " bytes]...\"") : "\"";
  bytes.remove_prefix(start);
  AppendEscapedUtf8(bytes.substr(0, kShown), &text);
  return absl::StrCat(text, bytes.size() > kShown ? "\"..." : "\"");
}

size_t Utf8CharacterSize(absl::string_view bytes, char32_t* code_point) {
  if (bytes.empty()) return 0;
  const auto first = static_cast<unsigned char>(bytes[0]);
  if (first < 0x80) {
    *code_point = first;
    return 1;
  }
  // The first byte gives the size; a code point below kLowest[size] has a shorter encoding.
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

}  // namespace sstable
