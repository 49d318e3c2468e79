#include "tools/bulk/record_input.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "report/text/text_encoding.h"
#include "tools/cli/common_options.h"

namespace sstable::tools {

void RecordInputOptions::AddTo(CommandLine* command_line) {
  command_line->AddChoice<std::optional<RecordFormat>>(
      "--format", {{"tsv", RecordFormat::kTsv}, {"jsonl", RecordFormat::kJsonl}}, &format,
      kFormatHelp + std::string("Default: by the names of the INPUTs (*.jsonl, *.csv), else tsv"),
      {{"json", RecordFormat::kJsonl}});
  command_line->AddOldName("--from", "--format");
  AddEncodingTo(command_line, &reader.encoding, "In tsv and csv. Default: escaped");
  command_line->AddChoice<KeyKind>(
      "--keys", {{"plain", KeyKind::kPlain}, {"internal", KeyKind::kInternal}}, &reader.key_kind,
      "Kind of the keys: plain, or internal as in a database. Default: plain");
}

absl::StatusOr<std::vector<std::string>> RecordInputOptions::TakeInputs(
    const std::vector<std::string>& arguments, size_t first) {
  std::vector<std::string> inputs(arguments.begin() + static_cast<ptrdiff_t>(first),
                                  arguments.end());
  if (inputs.empty()) inputs.push_back("-");
  const std::string *jsonl = nullptr, *other = nullptr;
  for (const std::string& input : inputs) {
    if (input != "-") (absl::EndsWith(input, ".jsonl") ? jsonl : other) = &input;
  }
  if (!format.has_value() && jsonl != nullptr && other != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(InputName(*other), " is not named *.jsonl, and ", InputName(*jsonl),
                     " is; all INPUTs have one format, which --format sets if their names don't"));
  }
  reader.format = format.value_or(jsonl != nullptr ? RecordFormat::kJsonl : RecordFormat::kTsv);
  return inputs;
}

}  // namespace sstable::tools
