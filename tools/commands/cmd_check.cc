// `sst check`: finds everything that is wrong with tables and databases.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "report/damaged_blocks.h"
#include "report/json.h"
#include "report/table_json.h"
#include "report/text/words.h"
#include "sstable/check.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/format.h"
#include "tools/cli/common_options.h"
#include "tools/commands/commands.h"
#include "tools/database/database_check.h"
#include "tools/files/input_files.h"
#include "tools/files/report_command.h"
#include "util/escape.h"

namespace sstable::tools {
namespace {

CommandInfo Info() {
  return {"check",
          "find everything that is wrong with tables and databases",
          "PATH...",
          /*min_arguments=*/0,
          /*max_arguments=*/SIZE_MAX,
          R"(Reads all of each PATH, a table, log, MANIFEST or folder, and continues after
damage. In a database's folder, checks that CURRENT, MANIFEST and the tables that
it names exist, with the right size and order, and that LevelDB finds the newest
version of each key; then checks each of these files and the logs. A file that
the MANIFEST does not name is mentioned, or reported as a problem if it has
entries that are nowhere else. In any other folder, checks the tables.

For a table, checks the checksum and structure of every block, that each byte
belongs to exactly one block, the order of keys within and across blocks, and
that the filter has no false negatives. An order given with
--comparator is always checked. Without it, the order is determined from the
keys: if all but a few ascend, it is bytewise, and those few are reported. If it
can't be determined, it is not checked, and the report says "no damage found"
instead of "ok" (json: "order_checked" is false).

The report on a sound table is one line. Otherwise there is a line for each
problem, with its block and offset, and then one that sums up the table. Several
files end with a summary: how many are ok, and the names of the others.
json: one object per file, each on one line; the last one is the summary.)",
          R"(  sst check *.ldb
  sst check -q -j 4 ~/.config/app/leveldb
  sst check --format json 000005.ldb | jq '.problems[].message'
  find . -name '*.ldb' -print0 | sst check -q -j 4 --files0-from -)"};
}

std::string DescribeFilter(const CheckReport& report) {
  if (report.filter_status.ok()) {
    return report.entries == 0 ? "filter" : "filter contains every key";
  }
  if (absl::IsNotFound(report.filter_status)) return "no filter";
  return absl::StrCat("filter not checked: ", EscapeControls(report.filter_status.message()));
}

ExitCode CodeOf(const CheckReport& report) {
  if (!report.read_status.ok()) return ExitCodeOf(report.read_status);
  return report.ok() ? ExitCode::kOk : ExitCode::kDamagedOrAbsent;
}

bool IsOfDataBlock(const CheckProblem& problem) {
  return problem.place == DescribeBlock(BlockKind::kData, {problem.offset, problem.size});
}

std::string TextReport(const CheckReport& report, const std::string& name,
                       const absl::Status& index_status, const Style& style) {
  std::string text;
  const auto are_data_blocks = [](const CheckProblem& a, const CheckProblem& b) {
    return IsOfDataBlock(a) && IsOfDataBlock(b);
  };
  for (const auto& run : GroupNeighbours<CheckProblem>(report.problems, are_data_blocks)) {
    const std::string place =
        run.size() == 1 ? run[0].place : absl::StrCat("data blocks ", DescribePlace(run));
    absl::StrAppend(&text, name, ": ", place, ": ",
                    EscapeControls(DescribeReasons(run, &CheckProblem::message)), "\n");
  }
  if (report.problem_count > report.problems.size()) {
    absl::StrAppend(&text, name, ": and ", report.problem_count - report.problems.size(),
                    " more\n");
  }
  const std::string order =
      !report.order_checked
          ? absl::StrCat("; the order of keys is not known and not checked: ", report.order_reason)
      : report.order_assumed
          ? absl::StrCat("; order of keys not given, assumed because ", report.order_reason)
          : "";
  if (report.problem_count == 0 && !report.limit_status.ok()) {
    absl::StrAppend(&text, name, ": not checked completely\n");
  } else if (report.ok()) {
    absl::StrAppend(&text, name, ": ", report.order_checked ? style.Green("ok") : "no damage found",
                    ", ", Count(report.entries, "entry"), " in ",
                    Count(report.data_blocks, "data block"), ", ", DescribeFilter(report), order,
                    "\n");
  } else {
    const std::string blocks =
        index_status.ok()
            ? absl::StrCat(report.damaged_data_blocks, " of ",
                           Count(report.data_blocks, "data block"), " can't be read, ",
                           Count(report.entries, "entry"), " in the others")
            : "without the index no data block can be found";
    absl::StrAppend(&text, name, ": ", style.Red(VerdictOf(CodeOf(report))), ", ",
                    Count(report.problem_count, "problem"), "; ", blocks, order, "\n");
  }
  return text;
}

ExitCode ReportNoTable(const std::string& name, const absl::Status& status,
                       const ReportOptions& options, Console* console) {
  if (options.format == ReportFormat::kJson) {
    WriteJson(UncheckedJson(status, name), console);
  } else if (absl::IsDataLoss(status)) {
    console->Write(absl::StrCat(EscapeControls(status.message()), "\n"));
  } else {
    return console->Fail(status);
  }
  return ExitCodeOf(status);
}

ExitCode ReportTable(const OpenedTable& table, const ReportOptions& options, Console* console) {
  CheckOptions check_options;
  check_options.keys =
      table.keys.order_known_by == KnownBy::kCaller ? KeyTrust::kOrdered : KeyTrust::kUnordered;
  const CheckReport report = CheckTable(*table.reader, check_options);
  if (options.quiet && report.ok()) return ExitCode::kOk;
  const std::string& name = table.reader->file().name();
  if (options.format == ReportFormat::kJson) {
    WriteJson(CheckJson(report, name), console);
  } else {
    console->Write(TextReport(report, EscapeControls(name), table.reader->LoadIndex(),
                              console->output_style()));
  }
  return Worst(CodeOf(report), console->Fail(report.limit_status));
}

// Also checks databases: the folder as a whole, then each of its files.
class CheckCommand final : public ReportCommand {
 public:
  CheckCommand() : ReportCommand(Info(), ReportTable, ReportNoTable) {}

 private:
  InputFiles FindFiles(const std::vector<std::string>& paths, Console* console) override {
    databases_.clear();
    descriptors_left_ = kMaxHeldDescriptors;
    InputFiles found = FindInputFiles(paths, WantedFiles::kDatabases, console);
    std::vector<InputFile> files;
    for (InputFile& file : found.files) {
      const size_t place = files.size();
      files.push_back(file);
      if (file.role != FileRole::kDatabase) continue;
      absl::StatusOr<DatabaseState> state =
          ReadDatabaseState(file.path, options().input, &descriptors_left_, &files);
      if (state.ok()) {
        files[place].size = 0;  // its bytes are counted with the files listed after it
        databases_.emplace(file.path, *std::move(state));
      } else {
        files[place].status = state.status();
      }
    }
    found.files = std::move(files);
    return found;
  }

  ExitCode ReportOn(const InputFile& file, Console* console) const override {
    if (!file.status.ok()) return ReportCommand::ReportOn(file, console);
    switch (file.role) {
      case FileRole::kDatabase:
        return CheckDatabaseState(databases_.at(file.path), options(), console);
      case FileRole::kLog:
        return CheckLog(file, options(), console);
      case FileRole::kManifest:
        return CheckManifest(file, options(), console);
      case FileRole::kTable:
      case FileRole::kOther:
        break;
    }
    return ReportCommand::ReportOn(file, console);
  }

  std::map<std::string, DatabaseState> databases_;  // keyed by folder
  size_t descriptors_left_ = kMaxHeldDescriptors;
};

}  // namespace

std::unique_ptr<Command> NewCheckCommand() { return std::make_unique<CheckCommand>(); }

}  // namespace sstable::tools
