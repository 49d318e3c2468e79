#include "tools/report_command.h"

#include "absl/status/statusor.h"

namespace sstable::tools {

void ReportCommand::AddOptions(CommandLine* command_line) {
  AddFormatTo(command_line, &format_);
  input_.AddTo(command_line);
}

ExitCode ReportCommand::Run(const std::vector<std::string>& paths, Console* console) {
  ExitCode code = ExitCode::kOk;
  for (const std::string& path : paths) {
    const absl::StatusOr<InputTable> table = OpenTable(path, input_, console);
    code = Worst(code, table.ok()
                           ? report_(*table, format_, console)
                           : report_unopened_(InputName(path), table.status(), format_, console));
  }
  return code;
}

}  // namespace sstable::tools
