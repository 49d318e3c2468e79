#include "tools/report_command.h"

#include "absl/status/statusor.h"
#include "tools/file_runner.h"

namespace sstable::tools {

void ReportCommand::AddOptions(CommandLine* command_line) {
  AddFormatTo(command_line, &options_.format);
  AddJobsTo(command_line, &jobs_);
  command_line->AddFlag("-q,--quiet", &options_.quiet,
                        "Report only files with something wrong, and the summary");
  options_.input.AddTo(command_line);
}

ExitCode ReportCommand::ReportOn(const InputFile& file, Console* console) const {
  absl::Status status = file.status;
  if (status.ok()) {
    const absl::StatusOr<InputTable> table = OpenTable(file, options_.input, console);
    if (table.ok()) return report_(*table, options_, console);
    status = table.status();
  }
  return report_unopened_(InputName(file.path), status, options_, console);
}

ExitCode ReportCommand::Run(const std::vector<std::string>& paths, Console* console) {
  const InputFiles inputs = FindFiles(paths, console);
  const std::vector<ExitCode> codes = RunOnFiles(
      inputs.files, jobs_,
      [this](const InputFile& file, Console* own) { return ReportOn(file, own); }, console);
  return ReportSummary(inputs, codes, options_.format, console);
}

}  // namespace sstable::tools
