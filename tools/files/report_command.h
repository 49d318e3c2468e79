// The base of commands that print a report on each file: `sst check` and `sst stats`.
#ifndef SSTABLE_TOOLS_FILES_REPORT_COMMAND_H_
#define SSTABLE_TOOLS_FILES_REPORT_COMMAND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "report/json.h"
#include "tools/cli/command.h"
#include "tools/cli/common_options.h"
#include "tools/files/file_runner.h"
#include "tools/files/input_files.h"
#include "tools/files/open_table.h"

namespace sstable::tools {

struct ReportOptions {
  TableInputOptions input;
  ReportFormat format = ReportFormat::kText;
  bool quiet = false;  // report only what is wrong
};

class ReportCommand : public Command {
 public:
  using Report = ExitCode (*)(const OpenedTable& table, const ReportOptions& options,
                              Console* console);
  // `status` is the reason why the file `name` can't be opened as a table.
  using ReportUnopened = ExitCode (*)(const std::string& name, const absl::Status& status,
                                      const ReportOptions& options, Console* console);

  ReportCommand(const CommandInfo& info, Report report, ReportUnopened report_unopened)
      : info_(info), report_(report), report_unopened_(report_unopened) {}

  const CommandInfo& info() const override { return info_; }
  void AddOptions(CommandLine* command_line) override;

  // Reports on each of `paths`; if there are several files, also on all of them together. Returns
  // the worst exit code.
  ExitCode Run(const std::vector<std::string>& paths, Console* console) override;

 protected:
  const ReportOptions& options() const { return options_; }

  // Finds the files. Called for one part of a list at a time, after the report on the previous
  // part. A command that reports on more than tables overrides it.
  virtual InputFiles FindFiles(const std::vector<std::string>& paths, Console* console) {
    return FindInputFiles(paths, WantedFiles::kTables, console);
  }
  // Reports on one file. Called in several threads at once.
  virtual ExitCode ReportOn(const InputFile& file, Console* console) const;

 private:
  // Reports on a part of the files.
  std::vector<ExitCode> ReportOnAll(const InputFiles& inputs, Console* console);
  // Reports on the files of a list, one part at a time to limit memory.
  ExitCode RunOnList(const std::string& list, char end, Console* console);

  const CommandInfo info_;
  const Report report_;
  const ReportUnopened report_unopened_;
  ReportOptions options_;
  uint64_t jobs_ = 1;  // files at once
  // Files with lists of names, which end with a line end in `list_`, with a NUL byte in `list0_`.
  std::optional<std::string> list_, list0_;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_FILES_REPORT_COMMAND_H_
