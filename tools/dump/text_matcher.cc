#include "tools/dump/text_matcher.h"

#include <cstddef>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "decode/text.h"
#include "re2/re2.h"
#include "util/escape.h"

namespace sstable::tools {
namespace {

using re2::RE2;

bool Search(const RE2& expression, absl::string_view bytes) {
  return RE2::PartialMatch(re2::StringPiece(bytes.data(), bytes.size()), expression);
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
  re2_options.set_dot_nl(true);  // line ends have no meaning in values
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
    for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
      std::string text;
      AppendUtf16(bytes.substr(start), order, &text);
      if (Search(*text_, text)) return true;
    }
  }
  return false;
}

}  // namespace sstable::tools
