// Shell completion of `sst` command lines.
#ifndef SSTABLE_TOOLS_CLI_COMPLETION_H_
#define SSTABLE_TOOLS_CLI_COMPLETION_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tools/cli/command_line.h"

namespace sstable::tools {

// Returns a script that completes all commands, options, and words that options accept. `shell` is
// "bash", "zsh" or "fish"; InvalidArgument for any other.
absl::StatusOr<std::string> CompletionScript(absl::string_view shell,
                                             absl::Span<const CommandHelp> commands);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_COMPLETION_H_
