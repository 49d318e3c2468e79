// `sst grep`: prints entries that match a pattern.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "decode/indexed_db_value.h"
#include "decode/text.h"
#include "re2/re2.h"
#include "report/text/words.h"
#include "tools/commands/commands.h"
#include "tools/dump/source_dump.h"
#include "tools/files/input_files.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

struct TextMatcherOptions {
  bool ignore_case = false;
  bool literal = false;  // the pattern is text, not a regular expression
  bool bytes = false;    // compare bytes: \xHH in the pattern is a byte
};

// Matches bytes against an RE2 regular expression. Unless only bytes are compared, they are read
//   - as UTF-8;
//   - if they are not UTF-8, or contain a zero byte, also as UTF-16 of either byte order, starting
//     with the first byte and with the second, since a byte for the encoding often comes first;
//   - if they are not UTF-8, also as Latin-1.
//
// Threads: Matches() may run concurrently. Time is linear in the size of the bytes.
class TextMatcher {
 public:
  // Errors: InvalidArgument if the pattern is not a regular expression, or not UTF-8.
  static absl::StatusOr<std::unique_ptr<TextMatcher>> Create(const std::string& pattern,
                                                             const TextMatcherOptions& options);
  ~TextMatcher();

  bool Matches(absl::string_view bytes) const;

 private:
  TextMatcher();

  std::unique_ptr<re2::RE2> text_;    // for UTF-8; null if bytes are compared
  std::unique_ptr<re2::RE2> latin1_;  // for Latin-1 or bytes; null if no Latin-1 text can match
};

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

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "grep",
      "print entries in which a pattern is found",
      "PATTERN PATH...",
      /*min_arguments=*/2,
      /*max_arguments=*/SIZE_MAX,
      R"(Prints the entries whose key or value contains PATTERN, a regular expression of
RE2's. PATH is a table, a database's folder or a log, as for `sst dump`.

Keys and values are searched as UTF-8. If they are not UTF-8 text, they are also
searched as Latin-1 and as UTF-16 of both byte orders, as browsers store strings.
--bytes compares bytes, and \xHH is one. A dot also matches a line end.
-i, -v, -c and -l are those of grep, for entries instead of lines.
With --decode, they are also searched in decoded form, keys both as text shows
them and as jsonl does. IndexedDB records that Chromium has compressed are always
searched uncompressed. --where and --select are those of `sst dump`.

The exit code is 0 if something is found, 1 if nothing is found, a part could not
be read or --where could not be decided, which is reported on standard error.)",
      R"(  sst grep -i 'token' ~/.config/app/leveldb
  sst grep --in key '^user:[0-9]+$' *.ldb
  sst grep -F --history --format jsonl 'jane@example.org' leveldb/)"};
  return *info;
}

enum class Part { kBoth, kKey, kValue };

class GrepCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  SourceDump dump_;
  TextMatcherOptions matcher_;
  Part part_ = Part::kBoth;
  bool invert_ = false;
  bool count_ = false;
  bool names_ = false;
};

void GrepCommand::AddOptions(CommandLine* command_line) {
  command_line->AddFlag("-i,--ignore-case", &matcher_.ignore_case,
                        "Upper and lower case match each other");
  command_line->AddFlag("-F,--fixed", &matcher_.literal,
                        "PATTERN is text, not a regular expression");
  command_line->AddFlag("-v,--invert-match", &invert_,
                        "Print the entries in which PATTERN is not found");
  command_line->AddFlag("-c,--count", &count_, "Print only the number of entries of each PATH");
  command_line->AddFlag("-l,--files-with-matches", &names_,
                        "Print only the names of PATHs with such entries");
  command_line->AddFlag("--bytes", &matcher_.bytes, "Compare bytes, not text");
  command_line->AddChoice<Part>(
      "--in", {{"both", Part::kBoth}, {"key", Part::kKey}, {"value", Part::kValue}}, &part_,
      "Search keys, values or both. Default: both");
  dump_.AddTo(command_line, "--verbose");  // -v is --invert-match
}

ExitCode GrepCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  const auto matcher = TextMatcher::Create(arguments[0], matcher_);
  if (!matcher.ok()) return console->Fail(AtPlace("grep", matcher.status()));
  std::atomic<uint64_t> damaged{0};  // compressed values that could not be searched
  const auto has_match = [this, &matcher = **matcher, &damaged](absl::string_view key,
                                                                absl::string_view value,
                                                                const EntryDecoder* decoder) {
    if (part_ != Part::kValue && matcher.Matches(key)) return true;
    if (decoder != nullptr) {
      const DecodedEntry decoded =
          decoder->Decode(key, part_ == Part::kKey ? absl::string_view() : value);
      if (part_ != Part::kValue && !decoded.key.empty()) {
        std::string summary;
        decoded.key.AppendSummary(&summary);
        if (matcher.Matches(summary) || matcher.Matches(decoded.key.Json())) return true;
      }
      if (!decoded.value.empty() && matcher.Matches(decoded.value.Json())) return true;
    }
    if (part_ == Part::kKey) return false;
    if (matcher.Matches(value)) return true;
    const auto record = UncompressIndexedDbRecord(key, value);
    if (!record.ok() && !absl::IsNotFound(record.status())) ++damaged;
    return record.ok() && matcher.Matches(*record);
  };
  dump_.entries.matches = [this, &has_match](absl::string_view key, absl::string_view value,
                                             const EntryDecoder* decoder) {
    return has_match(key, value, decoder) != invert_;
  };
  if (names_) {
    dump_.shown = Shown::kName;
    dump_.entries.limit = std::min<uint64_t>(dump_.entries.limit, 1);
  } else if (count_) {
    dump_.shown = Shown::kCount;
  }
  const std::vector<std::string> paths(arguments.begin() + 1, arguments.end());
  const InputFiles inputs = FindInputFiles(paths, WantedFiles::kDatabases, console);
  DumpResult result = dump_.Run(inputs, /*has_headings=*/false, console);
  if (damaged > 0) {
    result.code = Worst(result.code, console->Fail(absl::DataLossError(
                                         absl::StrCat(Count(damaged, "value"),
                                                      " that Chromium has compressed can't be "
                                                      "uncompressed, so only the stored bytes were "
                                                      "searched"))));
  }
  const bool found = result.printed > 0;
  return Worst(result.code, found ? ExitCode::kOk : ExitCode::kDamagedOrAbsent);
}

}  // namespace

std::unique_ptr<Command> NewGrepCommand() { return std::make_unique<GrepCommand>(); }

}  // namespace sstable::tools
