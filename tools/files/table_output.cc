#include "tools/files/table_output.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "tools/cli/interrupt.h"
#include "tools/files/input_files.h"
#include "util/descriptor.h"
#include "util/escape.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

absl::Status NotOneOf(absl::string_view text, absl::string_view forms) {
  return absl::InvalidArgumentError(
      absl::StrCat("expected one of ", forms, ", found ", ShowBytes(text)));
}

// The words of --compression, and the range of distinct levels.
struct CodecWord {
  absl::string_view word;
  Compression compression;
  int min_level = 0;
  int max_level = 0;

  constexpr bool has_level() const { return max_level > 0; }
};
constexpr CodecWord kCodecWords[] = {
    {"none", Compression::kNone},
    {"snappy", Compression::kSnappy},
    {"zstd", Compression::kZstd, kMinZstdLevel, kMaxZstdLevel},
    {"zlib", Compression::kZlib, 0, kMaxZlibLevel},
    {"deflate", Compression::kRawDeflate, 0, kMaxZlibLevel},
};

// A file that is not completed after a signal.
class TableOutputFile final : public WritableFile {
 public:
  TableOutputFile(std::unique_ptr<WritableFile> file, Console* console)
      : WritableFile(file->name()), file_(std::move(file)), console_(console) {}

  absl::Status Append(absl::string_view data) override {
    constexpr size_t kPieceSize = size_t{1} << 20;  // bytes written between two checks
    while (!data.empty()) {
      const absl::string_view piece = data.substr(0, kPieceSize);
      RETURN_IF_ERROR(CheckInterrupted());
      RETURN_IF_ERROR(file_->Append(piece));
      console_->progress().Advance(piece.size());
      data.remove_prefix(piece.size());
    }
    return absl::OkStatus();
  }
  absl::Status Sync() override {
    RETURN_IF_ERROR(CheckInterrupted());
    return file_->Sync();
  }
  absl::Status Close() override {
    RETURN_IF_ERROR(CheckInterrupted());
    return file_->Close();
  }

 private:
  const std::unique_ptr<WritableFile> file_;
  Console* const console_;
};

}  // namespace

void TableOutputOptions::AddFilterTo(CommandLine* command_line, const std::string& default_filter) {
  command_line->AddParsed(
      "--filter", "FILTER", [this](const std::string& text) { return ParseFilter(text); },
      "Filter for blocks: none, bloom:BITS or bloom:RATE%. BITS are per key, RATE is the share of "
      "absent keys that pass, such as bloom:1%; bloom-old:BITS or bloom-old:RATE% is the same "
      "filter "
      "under "
      "the name that goleveldb reads. Default: " +
          default_filter);
  command_line->AddParsed(
      "--table-filter", "FILTER",
      [this](const std::string& text) { return ParseTableFilter(text); },
      "Filter for the whole table: none, blocked:BITS, fuse8 or fuse16. This library consults it "
      "first and LevelDB ignores it. blocked is the fastest, with BITS per key; fuse8 and fuse16 "
      "are the smallest (0.4 % and 0.002 % of absent keys pass). Default: none",
      {"none", "blocked:10", "fuse8", "fuse16"});
  command_line->AddParsed(
      "--table-filter-prefixes", "PREFIX",
      [this](const std::string& text) { return ParsePrefixes(text); },
      "Add prefixes of keys: first:SIZE or through:HH:COUNT. That filter can then rule out scans, "
      "too. The prefix is the first SIZE bytes, or what is up to and including the COUNTth byte HH "
      "(hexadecimal; 2f is a slash)");
}

void TableOutputOptions::AddBaseLgTo(CommandLine* command_line) {
  command_line->AddParsed(
      "--filter-base-lg", "N", [this](const std::string& text) { return ParseBaseLg(text); },
      "Logarithm of the size of the filter's windows, or auto. auto makes windows of 100 keys or "
      "more, which take less space. LevelDB writes only the default, 11, but reads any",
      {"auto"});
}

void TableOutputOptions::AddForceTo(CommandLine* command_line) {
  command_line->AddFlag("--force", &force_, "Replace an existing OUT");
}

void TableOutputOptions::AddFiltersTo(CommandLine* command_line,
                                      const std::string& default_filter) {
  AddFilterTo(command_line, default_filter);
  AddBaseLgTo(command_line);
  AddForceTo(command_line);
}

void TableOutputOptions::AddTo(CommandLine* command_line, const Defaults& defaults) {
  AddFilterTo(command_line, defaults.filter);
  std::vector<std::string> codecs;
  for (const CodecWord& codec : kCodecWords) codecs.emplace_back(codec.word);
  command_line->AddParsed(
      "--compression", "CODEC", [this](const std::string& text) { return ParseCompression(text); },
      "Compression of blocks: none, snappy, zstd, zlib or deflate. The last three also with a "
      "level, zstd:LEVEL (-5 to 22, default 1) or zlib:LEVEL (0 to 9, default 6). No release of "
      "LevelDB up to 1.23 reads "
      "zstd; none reads zlib and deflate, which are for Minecraft Bedrock. Default: " +
          defaults.compression,
      codecs);
  command_line->AddNumber(
      "--block-size", "BYTES", {1, INT32_MAX, /*size=*/true}, &block_size_,
      "End a data block with the entry that reaches this size. Default: " + defaults.block_size);
  command_line->AddNumber("--restart-interval", "N", {1, INT32_MAX}, &restart_interval_,
                          "Entries between restart points. Default: " + defaults.restart_interval);
  AddBaseLgTo(command_line);
  AddForceTo(command_line);
}

absl::Status TableOutputOptions::ParseFilter(const std::string& text) {
  filter_given_ = true;
  if (text == "none") {
    filter_policy_ = nullptr;
    return absl::OkStatus();
  }
  absl::string_view bits = text;
  const bool old_name = absl::ConsumePrefix(&bits, "bloom-old:");
  if (!old_name && !absl::ConsumePrefix(&bits, "bloom:")) {
    return NotOneOf(text, "none, bloom:BITS, bloom:RATE%, bloom-old:BITS, bloom-old:RATE%");
  }
  const BloomName name = old_name ? BloomName::kLevelDbOld : BloomName::kLevelDb;
  if (absl::EndsWith(bits, "%")) {
    ASSIGN_OR_RETURN(const double rate, ParseRate(bits));
    filter_policy_ = NewBloomFilterPolicyForRate(rate, name);
    return absl::OkStatus();
  }
  const absl::StatusOr<uint64_t> number = ParseNumber(bits, {1, kMaxBloomBitsPerKey});
  if (!number.ok()) return AtPlace("bits per key", number.status());
  filter_policy_ = NewBloomFilterPolicy(static_cast<int>(*number), name);
  return absl::OkStatus();
}

absl::Status TableOutputOptions::ParseTableFilter(const std::string& text) {
  table_filter_given_ = true;
  absl::string_view bits = text;
  if (text == "none") {
    table_filter_policy_ = nullptr;
  } else if (text == "fuse8" || text == "fuse16") {
    table_filter_policy_ = NewBinaryFusePolicy(text == "fuse8" ? FuseBits::k8 : FuseBits::k16);
  } else if (absl::ConsumePrefix(&bits, "blocked:")) {
    const absl::StatusOr<uint64_t> number = ParseNumber(bits, {1, kMaxBlockedBloomBitsPerKey});
    if (!number.ok()) return AtPlace("bits per key", number.status());
    table_filter_policy_ = NewBlockedBloomPolicy(static_cast<int>(*number));
  } else {
    return NotOneOf(text, "none, blocked:BITS, fuse8, fuse16");
  }
  return absl::OkStatus();
}

absl::Status TableOutputOptions::ParsePrefixes(const std::string& text) {
  prefixes_ = PrefixExtractor::Parse(text);
  if (prefixes_.has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expected first:SIZE or through:HH:COUNT, where HH is a byte in two hexadecimal "
                   "digits, in lower case, and the numbers are at least 1; found ",
                   ShowBytes(text)));
}

absl::Status TableOutputOptions::ParseBaseLg(const std::string& text) {
  if (text == "auto") {
    filter_base_lg_ = kAutoFilterBaseLg;
    return absl::OkStatus();
  }
  const absl::StatusOr<uint64_t> number = ParseNumber(text, {0, kMaxFilterBaseLg});
  if (!number.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(number.status().message(), "; or auto"));
  }
  filter_base_lg_ = static_cast<int>(*number);
  return absl::OkStatus();
}

absl::Status TableOutputOptions::ParseCompression(const std::string& text) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits(':', 1));
  const CodecWord* codec = nullptr;
  for (const CodecWord& known : kCodecWords) {
    if (known.word == parts.first) codec = &known;
  }
  const bool has_level = absl::StrContains(text, ":");
  if (codec == nullptr || (has_level && !codec->has_level())) {
    return NotOneOf(text, absl::StrJoin(kCodecWords, ", ", [](std::string* out, const auto& known) {
                      absl::StrAppend(out, known.word, known.has_level() ? "[:LEVEL]" : "");
                    }));
  }
  compression_ = codec->compression;
  level_.reset();
  if (!has_level) return absl::OkStatus();
  absl::string_view digits = parts.second;
  const bool negative = absl::ConsumePrefix(&digits, "-");
  const int max_digits = negative ? -codec->min_level : codec->max_level;
  const absl::StatusOr<uint64_t> number =
      ParseNumber(digits, {0, static_cast<uint64_t>(max_digits)});
  if (!number.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("expected a ", codec->word, " level from ",
                                                   codec->min_level, " to ", codec->max_level,
                                                   ", found ", ShowBytes(parts.second)));
  }
  level_ = static_cast<int>(*number) * (negative ? -1 : 1);
  return absl::OkStatus();
}

void TableOutputOptions::ApplyTo(TableBuilderOptions* options) const {
  if (filter_given_) options->filter_policy = filter_policy_.get();
  options->table_filter_policy = table_filter_policy_.get();
  options->table_filter_prefixes = prefixes_;
  if (compression_.has_value()) options->compression = *compression_;
  if (level_.has_value()) {
    (*compression_ == Compression::kZstd ? options->zstd_level : options->zlib_level) = *level_;
  }
  if (block_size_.has_value()) options->block_size = *block_size_;
  if (restart_interval_.has_value()) {
    options->block_restart_interval = static_cast<int>(*restart_interval_);
  }
  options->filter_base_lg = filter_base_lg_.value_or(options->filter_base_lg);
}

std::optional<const FilterPolicy*> TableOutputOptions::filter_policy() const {
  if (!filter_given_) return std::nullopt;
  return filter_policy_.get();
}

std::optional<const TableFilterPolicy*> TableOutputOptions::table_filter_policy() const {
  if (!table_filter_given_) return std::nullopt;
  return table_filter_policy_.get();
}

absl::Status TableOutputOptions::CheckOptions() const {
  if (!prefixes_.has_value() || table_filter_policy_ != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError("--table-filter-prefixes needs a --table-filter");
}

absl::Status TableOutputOptions::CheckReplaceable(const std::string& out,
                                                  const std::string& in) const {
  if (out == "-") {
    return absl::InvalidArgumentError("OUT is a file; standard output is not supported here");
  }
  FileInfo out_info, in_info;
  if (StatFile(in, &in_info) && StatFile(out, &out_info) && in_info.device == out_info.device &&
      in_info.number == out_info.number) {
    return absl::InvalidArgumentError(
        absl::StrCat(out, ": is also an input; inputs are never written"));
  }
  return CheckReplaceable(out);
}

absl::Status TableOutputOptions::CheckReplaceable(const std::string& out) const {
  RETURN_IF_ERROR(CheckIsNoUrl(out));
  const absl::Status free = CheckAbsentOrEmpty(out);
  if (force_ || free.ok()) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat(free.message(), "; --force replaces it"));
}

absl::StatusOr<double> ParseRate(absl::string_view text) {
  absl::string_view number = text;
  double percent = 0;
  if (absl::ConsumeSuffix(&number, "%") && absl::SimpleAtod(number, &percent) &&
      percent >= 100 * kMinBloomRate && percent <= 100 * kMaxBloomRate) {
    return percent / 100;
  }
  return absl::InvalidArgumentError(absl::StrCat("expected a rate from ", 100 * kMinBloomRate,
                                                 "% to ", 100 * kMaxBloomRate, "%, found ",
                                                 ShowBytes(text)));
}

absl::StatusOr<std::unique_ptr<WritableFile>> CreateTableOutput(const std::string& out,
                                                                Console* console) {
  ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, CreateFileAtomically(out));
  return std::make_unique<TableOutputFile>(std::move(file), console);
}

}  // namespace sstable::tools
