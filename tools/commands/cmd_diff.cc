// `sst diff`: the differences between two tables or databases.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "decode/choose_decoder.h"
#include "decode/entry_decoder.h"
#include "report/json.h"
#include "report/record_writer.h"
#include "report/text/text_encoding.h"
#include "tools/cli/common_options.h"
#include "tools/commands/commands.h"
#include "tools/files/decoder_option.h"
#include "tools/files/entry_stream.h"
#include "tools/files/input_files.h"
#include "tools/files/open_table.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

const CommandInfo& Info() {
  static const auto* info =
      new CommandInfo{"diff",
                      "compare two tables or databases",
                      "A B",
                      /*min_arguments=*/2,
                      /*max_arguments=*/2,
                      R"(Compares the entries of A and B, each a table or a database's folder. For a
database, and for a table with internal keys, these are the live entries: the
newest version of each key, unless it is a deletion. Both are read once, side by
side, in little memory.

text: - key => value  for what is only in A
      + key => value  for what is only in B
      both lines for a key whose values differ; then a summary
json: one object per difference, each on one line, {"key": ..., "a": ..., "b":
      ...} without the missing value; the last one is the summary

Bytes are compared. --decode shows what they mean; see `sst dump --help`. In json,
decoded_key, decoded_a and decoded_b are added.

The exit code is 0 if they are equal, 1 if they differ, 2 if one is damaged, or if
their orders of keys differ. What is left of a damaged database is compared, so
what it has lost is shown as only in the other.)",
                      R"(  sst diff before/ after/
  sst diff -q 000005.ldb salvaged.ldb
  sst diff --format json a.ldb b.ldb | jq -r 'select(.a and .b) | .key')"};
  return *info;
}

struct DiffCounts {
  uint64_t only_in_a = 0, only_in_b = 0, different = 0, same = 0;

  bool is_damaged = false;  // A or B

  bool equal() const { return only_in_a + only_in_b + different == 0; }
};

class DiffCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  absl::StatusOr<DiffCounts> Compare(const std::vector<std::string>& paths, Console* console) const;
  // Reports which decoder each side has, and whether they differ.
  void SayChoices(const DecodedStream& a, const DecodedStream& b, Console* console) const;
  // Prints the entries of the two sides, which have this key; a side is null if it has none.
  void Print(absl::string_view key, const DecodedStream* a, const DecodedStream* b,
             Console* console) const;
  void PrintSummary(const DiffCounts& counts, Console* console) const;

  TableInputOptions input_;
  ReportFormat format_ = ReportFormat::kText;
  std::optional<TextEncoding> encoding_;
  bool quiet_ = false;
  DecodedProgram decode_ = DecodedProgram::kNone;
};

void DiffCommand::AddOptions(CommandLine* command_line) {
  AddFormatTo(command_line, &format_);
  AddEncodingTo(command_line, &encoding_, "Default: escaped");
  command_line->AddFlag("-q,--quiet", &quiet_, "Print only what is wrong, and the summary");
  AddDecodeTo(command_line, &decode_);
  input_.AddTo(command_line);
}

void AppendDecoded(absl::string_view name, const ValueTree& tree, std::string* out) {
  if (tree.empty()) return;
  absl::StrAppend(out, ",\"decoded_", name, "\":");
  tree.AppendJson(out);
}

void DiffCommand::Print(absl::string_view key, const DecodedStream* a, const DecodedStream* b,
                        Console* console) const {
  std::string* out = console->out();
  if (format_ == ReportFormat::kJson) {
    out->push_back('{');
    AppendJsonBytes("key", key, encoding_, out);
    ValueTree decoded_key;
    std::string decoded_values;
    for (const auto& [name, side] : {std::pair{"a", a}, std::pair{"b", b}}) {
      if (side == nullptr) continue;
      out->push_back(',');
      AppendJsonBytes(name, side->entries.value(), encoding_, out);
      if (side->decoder() == nullptr) continue;
      DecodedEntry decoded = side->decoder()->Decode(key, side->entries.value());
      if (decoded_key.empty()) decoded_key = std::move(decoded.key);
      AppendDecoded(name, decoded.value, &decoded_values);
    }
    AppendDecoded("key", decoded_key, out);
    absl::StrAppend(out, decoded_values, "}\n");
  } else {
    const Style& style = console->output_style();
    const auto line = [&](absl::string_view sign, const DecodedStream& side) {
      RecordWriterOptions options;
      options.encoding = encoding_;
      options.decoder = side.decoder();
      std::string text = absl::StrCat(sign, " ");
      RecordWriter(options).Append(key, side.entries.value(), &text);
      text.pop_back();  // the line end
      return text;
    };
    if (a != nullptr) absl::StrAppend(out, style.Red(line("-", *a)), "\n");
    if (b != nullptr) absl::StrAppend(out, style.Green(line("+", *b)), "\n");
  }
  console->Wrote();
}

void DiffCommand::SayChoices(const DecodedStream& a, const DecodedStream& b,
                             Console* console) const {
  SayChoice(decode_, a.entries.name(), a.chosen, console);
  if (b.entries.name() != a.entries.name()) {
    SayChoice(decode_, b.entries.name(), b.chosen, console);
  }
  const auto format = [](const DecodedStream& side) {
    return side.decoder() == nullptr ? "bytes, as stored" : side.decoder()->format();
  };
  if (format(a) != format(b)) {
    console->Say(
        absl::StrCat("A and B are shown in different forms: ", format(a), " and ", format(b)));
  }
}

absl::StatusOr<DiffCounts> DiffCommand::Compare(const std::vector<std::string>& paths,
                                                Console* console) const {
  ASSIGN_OR_RETURN(DecodedStream a_side, DecodedStream::Open(paths[0], input_, decode_, console));
  // If a folder is compared with itself, its damage is reported only once.
  const bool is_one_folder = paths[0] == paths[1] && IsFolder(paths[0]);
  ASSIGN_OR_RETURN(DecodedStream b_side, DecodedStream::Open(paths[1], input_, decode_,
                                                             is_one_folder ? nullptr : console));
  SayChoices(a_side, b_side, console);
  EntryStream &a = a_side.entries, &b = b_side.entries;
  if (a.order().Name() != b.order().Name()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the orders of keys differ: ", a.order().Name(), " and ", b.order().Name()));
  }
  DiffCounts counts;
  while ((a.Valid() || b.Valid()) && a.status().ok() && b.status().ok() && !console->closed()) {
    const int order = !a.Valid() ? 1 : !b.Valid() ? -1 : a.order().Compare(a.key(), b.key());
    const absl::string_view key = order <= 0 ? a.key() : b.key();
    const bool is_same = order == 0 && a.value() == b.value();
    ++(is_same     ? counts.same
       : order < 0 ? counts.only_in_a
       : order > 0 ? counts.only_in_b
                   : counts.different);
    if (!is_same && !quiet_) {
      Print(key, order <= 0 ? &a_side : nullptr, order >= 0 ? &b_side : nullptr, console);
    }
    if (order <= 0) a.Next();
    if (order >= 0) b.Next();
  }
  for (const EntryStream* side : {&a, &b}) {
    RETURN_IF_ERROR(side->status());
    if (side->code() == ExitCode::kOk) continue;
    counts.is_damaged = true;
    if (is_one_folder && side == &b) continue;
    console->Say(absl::StrCat(side->name(), ": is damaged, so not all of its entries are known"));
  }
  return counts;
}

void DiffCommand::PrintSummary(const DiffCounts& counts, Console* console) const {
  if (format_ == ReportFormat::kJson) {
    WriteJson({{"summary",
                {{"only_in_a", counts.only_in_a},
                 {"only_in_b", counts.only_in_b},
                 {"different", counts.different},
                 {"same", counts.same}}}},
              console);
  } else {
    console->Write(absl::StrCat(counts.only_in_a, " only in A, ", counts.only_in_b, " only in B, ",
                                counts.different, " with different values, ", counts.same,
                                " the same\n"));
  }
}

ExitCode DiffCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  if (console->output_is_terminal()) console->progress().Disable();
  const absl::StatusOr<DiffCounts> counts = Compare(arguments, console);
  if (!counts.ok()) {
    console->Fail(counts.status());
    return ExitCode::kCannot;
  }
  if (console->closed()) return ExitCode::kOk;
  PrintSummary(*counts, console);
  if (counts->is_damaged) return ExitCode::kCannot;
  return counts->equal() ? ExitCode::kOk : ExitCode::kDamagedOrAbsent;
}

}  // namespace

std::unique_ptr<Command> NewDiffCommand() { return std::make_unique<DiffCommand>(); }

}  // namespace sstable::tools
