// The manual page of `sst`, in the format of man(1).
#ifndef SSTABLE_TOOLS_CLI_MANUAL_H_
#define SSTABLE_TOOLS_CLI_MANUAL_H_

#include <string>

#include "absl/types/span.h"
#include "tools/cli/command_line.h"

namespace sstable::tools {

// The text about the program as a whole, in lines of at most 80 columns.
struct ProgramInfo {
  std::string version;     // "0.1.0"
  std::string about;       // paragraphs
  std::string exit_codes;  // lines
  std::string examples;    // lines
};

// Returns the page, sst.1, in the macros of man(7).
std::string ManualPage(const ProgramInfo& program, absl::Span<const CommandHelp> commands);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_MANUAL_H_
