// `sst layout`: shows the meaning of every byte of a table.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "report/json.h"
#include "report/layout_text.h"
#include "report/table_json.h"
#include "sstable/experimental/layout.h"
#include "tools/cli/common_options.h"
#include "tools/commands/commands.h"
#include "tools/files/file_runner.h"
#include "tools/files/input_files.h"
#include "tools/files/open_table.h"

namespace sstable::tools {
namespace {

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "layout",
      "show what every byte of a table is",
      "PATH...",
      /*min_arguments=*/1,
      /*max_arguments=*/SIZE_MAX,
      R"(Lists every block of a table in order of offset, bytes that belong to no block
or to several, and the footer. PATH is a table, or a folder for all tables in
it. A block's size does not include its trailer of 5 bytes (type and checksum).
-v adds the entries of each block and their offsets in it; --hex adds all bytes
and their meaning.

The exit code is 1 if a block is damaged.
json: one object per table, each on one line; after many tables, the last one is
a summary.)",
      R"(  sst layout 000005.ldb
  sst layout --hex small.ldb
  sst layout --format json 000005.ldb | jq '.blocks[] | select(.error)')"};
  return *info;
}

class LayoutCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  ExitCode Show(const InputFile& file, Console* console) const;

  TableInputOptions input_;
  ReportFormat format_ = ReportFormat::kText;
  uint64_t jobs_ = 1;
  bool hex_ = false;
};

void LayoutCommand::AddOptions(CommandLine* command_line) {
  command_line->AddFlag("--hex", &hex_, "Show all bytes and their meaning");
  AddFormatTo(command_line, &format_);
  AddJobsTo(command_line, &jobs_);
  input_.AddTo(command_line, "Also show the entries of each block");
}

ExitCode LayoutCommand::Show(const InputFile& file, Console* console) const {
  if (!file.status.ok()) return console->Fail(file.status);
  const absl::StatusOr<OpenedTable> table = OpenTable(file, input_, console);
  if (!table.ok()) return console->Fail(table.status());
  const Layout layout = DescribeLayout(*table->reader);
  if (format_ == ReportFormat::kJson) {
    WriteJson(LayoutJson(*table->reader, layout), console);
  } else {
    LayoutPrinter(*table->reader, layout, console->output_style(), console)
        .Print(input_.verbose, hex_);
  }
  ExitCode code = layout.overlapping.empty() ? ExitCode::kOk : ExitCode::kDamagedOrAbsent;
  for (const BlockInfo& block : layout.blocks) code = Worst(code, ExitCodeOf(block.status));
  // Blocks that can't be read are reported above; a malformed index or metaindex is not.
  if (code == ExitCode::kOk) code = console->Fail(layout.index_status);
  if (code == ExitCode::kOk) code = console->Fail(layout.metaindex_status);
  return code;
}

ExitCode LayoutCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  if (format_ == ReportFormat::kJson && (input_.verbose || hex_)) {
    return console->Fail(absl::InvalidArgumentError(
        "--format json has no entries and no bytes; `sst dump --format jsonl` has the entries"));
  }
  const InputFiles inputs = FindInputFiles(arguments, WantedFiles::kTables, console);
  const std::vector<ExitCode> codes = RunOnFiles(
      inputs.files, jobs_, [this](const InputFile& file, Console* own) { return Show(file, own); },
      console);
  return ReportSummary(inputs, codes, format_, console);
}

}  // namespace

std::unique_ptr<Command> NewLayoutCommand() { return std::make_unique<LayoutCommand>(); }

}  // namespace sstable::tools
