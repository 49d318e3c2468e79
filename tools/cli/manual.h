// Texts about all commands: the manual page and the table of options.
#ifndef SSTABLE_TOOLS_CLI_MANUAL_H_
#define SSTABLE_TOOLS_CLI_MANUAL_H_

#include <string>

#include "absl/types/span.h"
#include "tools/cli/command_line.h"

namespace sstable::tools {

// Text about the program, in lines of at most 80 columns.
struct ProgramInfo {
  std::string version;     // "0.1.0"
  std::string about;       // paragraphs
  std::string exit_codes;  // lines
  std::string examples;    // lines
};

// Returns the page, sst.1, in the macros of man(7).
std::string ManualPage(const ProgramInfo& program, absl::Span<const CommandHelp> commands);

// Lists the options of all commands, with the first sentence of their help, and which commands have
// them. An option that means different things in two commands would be listed twice; tests/tools
// does not allow that.
std::string OptionsTable(absl::Span<const CommandHelp> commands);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_MANUAL_H_
