#include "tools/bulk/record_input.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "report/text/text_encoding.h"
#include "tools/cli/common_options.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

// Returns the format according to the name of an input.
RecordFormat FormatOf(absl::string_view name) {
  if (!absl::ConsumeSuffix(&name, ".gz")) absl::ConsumeSuffix(&name, ".zst");
  return absl::EndsWith(name, ".jsonl") ? RecordFormat::kJsonl
         : absl::EndsWith(name, ".csv") ? RecordFormat::kCsv
                                        : RecordFormat::kTsv;
}

}  // namespace

void RecordInputOptions::AddTo(CommandLine* command_line) {
  command_line->AddChoice<std::optional<RecordFormat>>(
      "--format",
      {{"tsv", RecordFormat::kTsv}, {"jsonl", RecordFormat::kJsonl}, {"csv", RecordFormat::kCsv}},
      &format,
      kFormatHelp + std::string("Default: by the names of the INPUTs (*.jsonl, *.csv), else tsv"),
      {{"json", RecordFormat::kJsonl}});
  command_line->AddOldName("--from", "--format");
  command_line->AddFlag("--no-header", &reader.no_header, kNoHeaderHelp);
  AddEncodingTo(command_line, &reader.encoding,
                "In tsv and csv; raw, in csv, has no escapes. Default: escaped",
                /*has_csv=*/true);
  command_line->AddChoice<KeyKind>(
      "--keys", {{"plain", KeyKind::kPlain}, {"internal", KeyKind::kInternal}}, &reader.key_kind,
      "Kind of the keys: plain, or internal as in a database. Default: plain");
}

absl::StatusOr<std::vector<std::string>> RecordInputOptions::TakeInputs(
    const std::vector<std::string>& arguments, size_t first) {
  std::vector<std::string> inputs(arguments.begin() + static_cast<ptrdiff_t>(first),
                                  arguments.end());
  if (inputs.empty()) inputs.push_back("-");
  std::optional<RecordFormat> named;
  const std::string* first_input = nullptr;
  for (const std::string& input : inputs) {
    if (input == "-") continue;
    const RecordFormat by_name = FormatOf(input);
    if (!format.has_value() && named.value_or(by_name) != by_name) {
      return absl::InvalidArgumentError(
          absl::StrCat(InputName(input), " and ", InputName(*first_input),
                       " have names of different formats; if all INPUTs have the same format, "
                       "--format says which"));
    }
    named = by_name;
    first_input = &input;
  }
  reader.format = format.value_or(named.value_or(RecordFormat::kTsv));
  if (reader.no_header && reader.format != RecordFormat::kCsv) {
    return absl::InvalidArgumentError("--no-header is an option of --format csv");
  }
  RETURN_IF_ERROR(CheckEncoding(reader.encoding, reader.format == RecordFormat::kCsv));
  return inputs;
}

}  // namespace sstable::tools
