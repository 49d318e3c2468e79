#include "tools/files/report_command.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tools/cli/common_options.h"
#include "tools/files/file_runner.h"
#include "tools/files/name_list.h"

namespace sstable::tools {
namespace {

// The number of names that are read from a list before these files are reported on.
constexpr size_t kNamesAtOnce = 4096;

}  // namespace

void ReportCommand::AddOptions(CommandLine* command_line) {
  AddFormatTo(command_line, &options_.format);
  AddJobsTo(command_line, &jobs_);
  command_line->AddFlag("-q,--quiet", &options_.quiet, "Print only what is wrong, and the summary");
  command_line->AddText("--files-from", "FILE", &list_,
                        "Read the PATHs from FILE, one per line. - is standard input");
  command_line->AddText(
      "--files0-from", "FILE", &list0_,
      "Like --files-from, with a NUL byte after each PATH. `find -print0` writes such a list");
  options_.input.AddTo(command_line);
}

ExitCode ReportCommand::ReportOn(const InputFile& file, Console* console) const {
  absl::Status status = file.status;
  if (status.ok()) {
    const absl::StatusOr<OpenedTable> table = OpenTable(file, options_.input, console);
    if (table.ok()) return report_(*table, options_, console);
    status = table.status();
  }
  return report_unopened_(file.name, status, options_, console);
}

ExitCode ReportCommand::Run(const std::vector<std::string>& paths, Console* console) {
  if (list_.has_value() || list0_.has_value()) {
    if (list_.has_value() && list0_.has_value()) {
      return console->Fail(absl::InvalidArgumentError(
          absl::StrCat(info_.name, ": --files-from and --files0-from can't be combined")));
    }
    if (!paths.empty()) {
      return console->Fail(absl::InvalidArgumentError(
          absl::StrCat(info_.name, ": a list of files can't be combined with ", info_.arguments)));
    }
    return list_.has_value() ? RunOnList(*list_, '\n', console) : RunOnList(*list0_, '\0', console);
  }
  if (paths.empty()) {
    return console->Fail(absl::InvalidArgumentError(
        absl::StrCat(info_.name, ": too few arguments; expected: ", info_.arguments)));
  }
  const InputFiles inputs = FindFiles(paths, console);
  const std::vector<ExitCode> codes = ReportOnAll(inputs, console);
  return ReportSummary(inputs, codes, options_.format, console);
}

std::vector<ExitCode> ReportCommand::ReportOnAll(const InputFiles& inputs, Console* console) {
  return RunOnFiles(
      inputs.files, jobs_,
      [this](const InputFile& file, Console* own) { return ReportOn(file, own); }, console);
}

ExitCode ReportCommand::RunOnList(const std::string& list, char end, Console* console) {
  NameList names(list, end);
  FilesSummary summary;
  absl::Status status;
  std::vector<std::string> paths;
  do {
    status = names.Next(kNamesAtOnce, &paths);
    const InputFiles inputs = FindFiles(paths, console);
    const std::vector<ExitCode> codes = ReportOnAll(inputs, console);
    summary.Add(inputs.files, codes);
  } while (status.ok() && !paths.empty() && !console->closed());
  const ExitCode code = ReportSummary(summary, /*many=*/true, options_.format, console);
  return status.ok() ? code : console->Fail(status);
}

}  // namespace sstable::tools
