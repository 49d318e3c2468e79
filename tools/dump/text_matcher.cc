#include "tools/dump/text_matcher.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "re2/re2.h"
#include "util/escape.h"

namespace sstable::tools {
namespace {

using re2::RE2;

bool Search(const RE2& expression, absl::string_view bytes) {
  return RE2::PartialMatch(re2::StringPiece(bytes.data(), bytes.size()), expression);
}

void AppendUtf8(uint32_t c, std::string* out) {
  const auto append = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (c < 0x80) return append(c);
  if (c < 0x800) {
    append(0xc0 | c >> 6);
  } else {
    if (c < 0x10000) {
      append(0xe0 | c >> 12);
    } else {
      append(0xf0 | c >> 18);
      append(0x80 | (c >> 12 & 0x3f));
    }
    append(0x80 | (c >> 6 & 0x3f));
  }
  append(0x80 | (c & 0x3f));
}

// Converts UTF-16 to UTF-8. An unpaired surrogate becomes U+FFFD, which no pattern means; an odd
// byte at the end is dropped.
std::string FromUtf16(absl::string_view bytes, bool big_endian) {
  std::string text;
  text.reserve(bytes.size());
  const auto unit = [&](size_t i) -> uint32_t {
    const auto first = static_cast<uint8_t>(bytes[i]), second = static_cast<uint8_t>(bytes[i + 1]);
    return big_endian ? first << 8 | second : second << 8 | first;
  };
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    uint32_t c = unit(i);
    if (c >= 0xd800 && c < 0xe000) {
      const uint32_t low = c < 0xdc00 && i + 3 < bytes.size() ? unit(i + 2) : 0;
      const bool is_pair = low >= 0xdc00 && low < 0xe000;
      c = is_pair ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
      if (is_pair) i += 2;
    }
    AppendUtf8(c, &text);
  }
  return text;
}

// Converts UTF-8 to Latin-1; nullopt if there are other characters.
std::optional<std::string> ToLatin1(absl::string_view text) {
  std::string latin1;
  while (!text.empty()) {
    char32_t c = 0;
    const size_t size = Utf8CharacterSize(text, &c);
    if (size == 0 || c > 0xff) return std::nullopt;
    latin1.push_back(static_cast<char>(c));
    text.remove_prefix(size);
  }
  return latin1;
}

absl::StatusOr<std::unique_ptr<RE2>> Compile(const std::string& pattern,
                                             const TextMatcherOptions& options,
                                             RE2::Options::Encoding encoding) {
  RE2::Options re2_options;
  re2_options.set_encoding(encoding);
  re2_options.set_literal(options.literal);
  re2_options.set_case_sensitive(!options.ignore_case);
  re2_options.set_dot_nl(true);  // line ends in values mean nothing
  re2_options.set_log_errors(false);
  auto expression = std::make_unique<RE2>(pattern, re2_options);
  if (expression->ok()) return expression;
  return absl::InvalidArgumentError(
      absl::StrCat("PATTERN is not a regular expression: ", expression->error()));
}

}  // namespace

TextMatcher::TextMatcher() = default;
TextMatcher::~TextMatcher() = default;

absl::StatusOr<std::unique_ptr<TextMatcher>> TextMatcher::Create(
    const std::string& pattern, const TextMatcherOptions& options) {
  std::unique_ptr<TextMatcher> matcher(new TextMatcher());  // its constructor is private
  std::optional<std::string> latin1 = pattern;
  if (!options.bytes) {
    if (!IsUtf8(pattern)) {
      return absl::InvalidArgumentError("PATTERN is not UTF-8; --bytes compares bytes");
    }
    auto text = Compile(pattern, options, RE2::Options::EncodingUTF8);
    if (!text.ok()) return text.status();
    matcher->text_ = *std::move(text);
    latin1 = ToLatin1(pattern);
    if (!latin1.has_value()) return matcher;
  }
  auto expression = Compile(*latin1, options, RE2::Options::EncodingLatin1);
  // An expression that is only for text, such as \p{Greek}, has no match in Latin-1.
  if (!expression.ok() && !options.bytes) return matcher;
  if (!expression.ok()) return expression.status();
  matcher->latin1_ = *std::move(expression);
  return matcher;
}

bool TextMatcher::Matches(absl::string_view bytes) const {
  if (text_ == nullptr) return Search(*latin1_, bytes);
  if (Search(*text_, bytes)) return true;
  const bool is_utf8 = IsUtf8(bytes);
  if (is_utf8 && bytes.find('\0') == bytes.npos) return false;
  if (!is_utf8 && latin1_ != nullptr && Search(*latin1_, bytes)) return true;
  for (size_t start = 0; start < 2 && start + 2 <= bytes.size(); ++start) {
    for (const bool big_endian : {false, true}) {
      if (Search(*text_, FromUtf16(bytes.substr(start), big_endian))) return true;
    }
  }
  return false;
}

}  // namespace sstable::tools
