#include "tools/bulk/record_input.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "report/text/text_encoding.h"

namespace sstable::tools {

void RecordInputOptions::AddTo(CommandLine* command_line) {
  command_line->AddChoice<std::optional<RecordFormat>>(
      "--format", {{"tsv", RecordFormat::kTsv}, {"jsonl", RecordFormat::kJsonl}}, &format,
      "Format of the records. Default: jsonl if the INPUTs are named *.jsonl, else tsv",
      {{"json", RecordFormat::kJsonl}});
  command_line->AddOldName("--from", "--format");
  command_line->AddChoice<TextEncoding>("--encoding",
                                        {{"escaped", TextEncoding::kEscaped},
                                         {"hex", TextEncoding::kHex},
                                         {"base64", TextEncoding::kBase64}},
                                        &reader.encoding,
                                        "Encoding of keys and values in tsv. Default: escaped");
  command_line->AddChoice<KeyKind>(
      "--keys", {{"plain", KeyKind::kPlain}, {"internal", KeyKind::kInternal}}, &reader.key_kind,
      "Plain keys, or internal keys as in the tables of a database. Default: plain");
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
