// The option --format of commands that report.
#ifndef SSTABLE_TOOLS_CLI_REPORT_FORMAT_H_
#define SSTABLE_TOOLS_CLI_REPORT_FORMAT_H_

#include <string>

#include "tools/cli/command_line.h"

namespace sstable::tools {

enum class ReportFormat { kText, kJson };

inline void AddFormatTo(CommandLine* command_line, ReportFormat* format,
                        const std::string& help = "Default: text") {
  command_line->AddChoice<ReportFormat>(
      "--format", {{"text", ReportFormat::kText}, {"json", ReportFormat::kJson}}, format, help,
      {{"jsonl", ReportFormat::kJson}});
}

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_REPORT_FORMAT_H_
