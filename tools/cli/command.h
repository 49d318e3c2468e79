// A sub-command of `sst`.
#ifndef SSTABLE_TOOLS_CLI_COMMAND_H_
#define SSTABLE_TOOLS_CLI_COMMAND_H_

#include <string>
#include <vector>

#include "tools/cli/command_line.h"
#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"

namespace sstable::tools {

// Pattern:  AddOptions, then Run if the command line is valid.
class Command {
 public:
  virtual ~Command() = default;

  virtual const CommandInfo& info() const = 0;

  // Declares the options; their values are stored in members of this object.
  virtual void AddOptions(CommandLine* command_line) = 0;

  // Runs the command. `arguments` are the non-option arguments, as many as info() allows.
  virtual ExitCode Run(const std::vector<std::string>& arguments, Console* console) = 0;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_COMMAND_H_
