// `sst diff`: the differences between two tables or databases.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "report/json.h"
#include "report/record_writer.h"
#include "report/text/text_encoding.h"
#include "tools/cli/common_options.h"
#include "tools/commands/commands.h"
#include "tools/files/entry_stream.h"
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

The exit code is 0 if they are equal, 1 if they differ, 2 if they can't be
compared: one is damaged, or their orders of keys differ.)",
                      R"(  sst diff before/ after/
  sst diff -q 000005.ldb salvaged.ldb
  sst diff --format json a.ldb b.ldb | jq -r 'select(.a and .b) | .key')"};
  return *info;
}

struct DiffCounts {
  uint64_t only_in_a = 0, only_in_b = 0, different = 0, same = 0;

  bool equal() const { return only_in_a + only_in_b + different == 0; }
};

class DiffCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  using Value = std::optional<absl::string_view>;

  absl::StatusOr<DiffCounts> Compare(const std::vector<std::string>& paths, Console* console) const;
  void Print(absl::string_view key, Value a, Value b, Console* console) const;
  void PrintSummary(const DiffCounts& counts, Console* console) const;

  TableInputOptions input_;
  ReportFormat format_ = ReportFormat::kText;
  std::optional<TextEncoding> encoding_;
  bool quiet_ = false;
};

void DiffCommand::AddOptions(CommandLine* command_line) {
  AddFormatTo(command_line, &format_);
  AddEncodingTo(command_line, &encoding_, "Default: escaped");
  command_line->AddFlag("-q,--quiet", &quiet_, "Print only what is wrong, and the summary");
  input_.AddTo(command_line);
}

void DiffCommand::Print(absl::string_view key, Value a, Value b, Console* console) const {
  std::string* out = console->out();
  if (format_ == ReportFormat::kJson) {
    out->push_back('{');
    AppendJsonBytes("key", key, encoding_, out);
    for (const auto& [name, value] : {std::pair{"a", a}, std::pair{"b", b}}) {
      if (!value.has_value()) continue;
      out->push_back(',');
      AppendJsonBytes(name, *value, encoding_, out);
    }
    absl::StrAppend(out, "}\n");
  } else {
    const Style& style = console->output_style();
    const TextEncoding encoding = encoding_.value_or(TextEncoding::kEscaped);
    const auto line = [&](absl::string_view sign, absl::string_view value) {
      return absl::StrCat(sign, " ", Encode(encoding, key), " => ", Encode(encoding, value));
    };
    if (a.has_value()) absl::StrAppend(out, style.Red(line("-", *a)), "\n");
    if (b.has_value()) absl::StrAppend(out, style.Green(line("+", *b)), "\n");
  }
  console->Wrote();
}

absl::StatusOr<DiffCounts> DiffCommand::Compare(const std::vector<std::string>& paths,
                                                Console* console) const {
  ASSIGN_OR_RETURN(EntryStream a, EntryStream::Open(paths[0], input_, console));
  ASSIGN_OR_RETURN(EntryStream b, EntryStream::Open(paths[1], input_, console));
  if (a.order().Name() != b.order().Name()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the orders of keys differ: ", a.order().Name(), " and ", b.order().Name()));
  }
  DiffCounts counts;
  while ((a.Valid() || b.Valid()) && a.status().ok() && b.status().ok() && !console->closed()) {
    const int order = !a.Valid() ? 1 : !b.Valid() ? -1 : a.order().Compare(a.key(), b.key());
    const absl::string_view key = order <= 0 ? a.key() : b.key();
    const Value a_value = order <= 0 ? Value(a.value()) : std::nullopt;
    const Value b_value = order >= 0 ? Value(b.value()) : std::nullopt;
    const bool is_same = order == 0 && a.value() == b.value();
    ++(is_same     ? counts.same
       : order < 0 ? counts.only_in_a
       : order > 0 ? counts.only_in_b
                   : counts.different);
    if (!is_same && !quiet_) Print(key, a_value, b_value, console);
    if (order <= 0) a.Next();
    if (order >= 0) b.Next();
  }
  RETURN_IF_ERROR(a.status());
  RETURN_IF_ERROR(b.status());
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
  return counts->equal() ? ExitCode::kOk : ExitCode::kDamagedOrAbsent;
}

}  // namespace

std::unique_ptr<Command> NewDiffCommand() { return std::make_unique<DiffCommand>(); }

}  // namespace sstable::tools
