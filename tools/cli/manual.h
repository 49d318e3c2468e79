// The manual page of `sst`, in the form that man(1) reads.
#ifndef SSTABLE_TOOLS_CLI_MANUAL_H_
#define SSTABLE_TOOLS_CLI_MANUAL_H_

#include <string>

#include "absl/types/span.h"
#include "tools/cli/command_line.h"

namespace sstable::tools {

// What is said of the program as a whole. Texts are lines of at most 80 columns.
struct ProgramInfo {
  std::string version;     // "0.1.0"
  std::string about;       // paragraphs
  std::string exit_codes;  // lines
  std::string examples;    // lines
};

// In the macros of man(7), sst.1.
std::string ManualPage(const ProgramInfo& program, absl::Span<const CommandHelp> commands);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_MANUAL_H_
