// `sst du`: shows how many bytes the keys with each prefix take.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "report/json.h"
#include "report/text/text_encoding.h"
#include "tools/cli/common_options.h"
#include "tools/commands/commands.h"
#include "tools/dump/source_dump.h"
#include "tools/files/file_runner.h"
#include "tools/files/input_files.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

constexpr size_t kMaxPrefixes = size_t{1} << 20, kMaxPrefixBytes = size_t{256} << 20;

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "du",
      "show which keys take how many bytes",
      "PATH...",
      /*min_arguments=*/1,
      /*max_arguments=*/SIZE_MAX,
      R"(Adds up the bytes of keys and values, uncompressed, of all entries of the PATHs,
for each prefix of the keys, the largest first. As for `sst dump`, PATH is a
database's folder, for its live entries or with --history for all; a table; or a
log.

With --by-prefix, the prefix of a key ends with the first DELIMITER in it, or with
--depth N with the Nth; keys that have fewer are counted together. Without it,
there is only the total. With --limit N, only the N largest prefixes are shown;
the keys that are counted together count as one.

The exit code is 1 if a part could not be read, which is reported on standard
error.)",
      R"(  sst du --by-prefix : ~/.config/app/leveldb
  sst du --by-prefix / --limit 10 leveldb/
  sst du --by-prefix '\x00' --depth 2 'Local Storage/leveldb'
  sst du --history leveldb/; sst du leveldb/)"};
  return *info;
}

struct Use {
  uint64_t entries = 0, bytes = 0;
};

class DuCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  std::string PrefixOf(absl::string_view key) const;
  void Print(const std::map<std::string, Use>& uses, Console* console) const;

  SourceDump dump_;
  std::optional<std::string> delimiter_;
  std::optional<int> depth_;
  std::optional<uint64_t> limit_;
  ReportFormat format_ = ReportFormat::kText;
};

void DuCommand::AddOptions(CommandLine* command_line) {
  command_line->AddParsed(
      "--by-prefix", "DELIMITER",
      [this](const std::string& text) {
        absl::StatusOr<std::string> bytes = Decode(TextEncoding::kEscaped, text);
        if (bytes.ok() && bytes->empty()) return absl::InvalidArgumentError("is empty");
        if (bytes.ok()) delimiter_ = *std::move(bytes);
        return bytes.status();
      },
      "What ends a prefix; \\xHH is a byte");
  command_line->AddNumber("--depth", "N", {1, 1000}, &depth_,
                          "How many DELIMITERs a prefix has. Default: 1");
  command_line->AddNumber("--limit", "N", {0, UINT64_MAX}, &limit_,
                          absl::StrCat(kLimitHelp,
                                       ". These are the largest, of all PATHs "
                                       "together; the total is that of all prefixes"));
  AddFormatTo(command_line, &format_);
  command_line->AddFlag("--history", &dump_.history,
                        "Every version of each key of a database, not only the live ones");
  AddThreadsTo(command_line, &dump_.threads);
  dump_.input.AddTo(command_line);
}

// Returns an empty string if the key has fewer delimiters.
std::string DuCommand::PrefixOf(absl::string_view key) const {
  if (!delimiter_.has_value()) return "";
  size_t end = 0;
  for (int i = 0; i < depth_.value_or(1); ++i) {
    const size_t at = key.find(*delimiter_, end);
    if (at == key.npos) return "";
    end = at + delimiter_->size();
  }
  return std::string(key.substr(0, end));
}

void DuCommand::Print(const std::map<std::string, Use>& uses, Console* console) const {
  std::vector<std::pair<std::string, Use>> sorted(uses.begin(), uses.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  Use total;
  for (const auto& [prefix, use] : sorted) {
    total.entries += use.entries;
    total.bytes += use.bytes;
  }
  sorted.resize(std::min<uint64_t>(sorted.size(), limit_.value_or(UINT64_MAX)));
  if (format_ == ReportFormat::kJson) {
    Json prefixes = Json::array();
    for (const auto& [prefix, use] : sorted) {
      if (!delimiter_.has_value()) break;
      Json json = {{"bytes", use.bytes}, {"entries", use.entries}};
      if (prefix.empty()) {
        json["prefix"] = Json();
      } else {
        SetBytes("prefix", prefix, &json);
      }
      prefixes.push_back(std::move(json));
    }
    WriteJson(
        {{"bytes", total.bytes}, {"entries", total.entries}, {"prefixes", std::move(prefixes)}},
        console);
    return;
  }
  const auto line = [&](const Use& use, absl::string_view what) {
    console->Write(absl::StrFormat("%15d %11d  %s\n", use.bytes, use.entries, what));
  };
  console->Write(absl::StrFormat("%15s %11s\n", "bytes", "entries"));
  for (const auto& [prefix, use] : sorted) {
    if (delimiter_.has_value()) line(use, prefix.empty() ? "others" : ShowBytes(prefix));
  }
  line(total, "in all");
}

ExitCode DuCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  if (depth_.has_value() && !delimiter_.has_value()) {
    return console->Fail(absl::InvalidArgumentError("--depth is an option of --by-prefix"));
  }
  if (limit_.has_value() && !delimiter_.has_value()) {
    return console->Fail(absl::InvalidArgumentError("--limit is an option of --by-prefix"));
  }
  std::map<std::string, Use> uses;
  size_t prefix_bytes = 0;
  bool is_full = false;
  std::mutex mutex;  // guards the three above
  dump_.shown = Shown::kNothing;
  dump_.entries.matches = [&](absl::string_view key, absl::string_view value, const EntryDecoder*) {
    const std::string prefix = PrefixOf(key);
    const std::lock_guard<std::mutex> lock(mutex);
    if (is_full) return false;
    const auto [it, is_new] = uses.try_emplace(prefix);
    if (is_new) prefix_bytes += prefix.size();
    is_full = uses.size() > kMaxPrefixes || prefix_bytes > kMaxPrefixBytes;
    ++it->second.entries;
    it->second.bytes += key.size() + value.size();
    return false;
  };
  const InputFiles inputs = FindInputFiles(arguments, WantedFiles::kDatabases, console);
  const ExitCode code = dump_.Run(inputs, /*has_headings=*/false, console).code;
  if (is_full) {
    return console->Fail(absl::ResourceExhaustedError(
        absl::StrFormat("there are more than %d prefixes, or they have more than %d bytes; choose "
                        "another DELIMITER or a smaller --depth",
                        kMaxPrefixes, kMaxPrefixBytes)));
  }
  if (!uses.empty() || code != ExitCode::kCannot) Print(uses, console);
  return code;
}

}  // namespace

std::unique_ptr<Command> NewDuCommand() { return std::make_unique<DuCommand>(); }

}  // namespace sstable::tools
