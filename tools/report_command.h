// The commands that print a report of each table: `sst check` and `sst stats`.
#ifndef SSTABLE_TOOLS_REPORT_COMMAND_H_
#define SSTABLE_TOOLS_REPORT_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/cli/command.h"
#include "tools/records/json.h"
#include "tools/table_input.h"

namespace sstable::tools {

class ReportCommand final : public Command {
 public:
  using Report = ExitCode (*)(const InputTable& table, ReportFormat format, Console* console);
  // `status` says why the file `name` can't be opened as a table.
  using ReportUnopened = ExitCode (*)(const std::string& name, const absl::Status& status,
                                      ReportFormat format, Console* console);

  ReportCommand(const CommandInfo& info, Report report, ReportUnopened report_unopened)
      : info_(info), report_(report), report_unopened_(report_unopened) {}

  const CommandInfo& info() const override { return info_; }
  void AddOptions(CommandLine* command_line) override;

  // Reports on each of `paths`. Returns the worst of the exit codes.
  ExitCode Run(const std::vector<std::string>& paths, Console* console) override;

 private:
  const CommandInfo info_;
  const Report report_;
  const ReportUnopened report_unopened_;
  TableInputOptions input_;
  ReportFormat format_ = ReportFormat::kText;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_REPORT_COMMAND_H_
