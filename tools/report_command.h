// What the commands have in common that print a report of each table: `sst check`, `sst stats`.
#ifndef SSTABLE_TOOLS_REPORT_COMMAND_H_
#define SSTABLE_TOOLS_REPORT_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/cli/command.h"
#include "tools/records/json.h"
#include "tools/table_input.h"

namespace sstable::tools {

class ReportCommand : public Command {
 public:
  void AddOptions(CommandLine* command_line) final;

  // Reports on each of `paths`. Returns the worst of the exit codes.
  ExitCode Run(const std::vector<std::string>& paths, Console* console) final;

 protected:
  virtual ExitCode Report(const InputTable& table, ReportFormat format, Console* console) const = 0;

  // `status` says why the file `name` can't be opened as a table.
  virtual ExitCode ReportUnopened(const std::string& name, const absl::Status& status,
                                  ReportFormat format, Console* console) const = 0;

 private:
  TableInputOptions input_;
  ReportFormat format_ = ReportFormat::kText;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_REPORT_COMMAND_H_
