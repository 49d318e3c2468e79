// `sst` without its main(): finds the command that the arguments name, and runs it.
#ifndef SSTABLE_TOOLS_RUN_SST_H_
#define SSTABLE_TOOLS_RUN_SST_H_

#include <string>

#include "absl/types/span.h"
#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"

namespace sstable::tools {

// `args` are the arguments of main(), without the program's name. The caller closes `console`.
ExitCode RunSst(absl::Span<const std::string> args, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_RUN_SST_H_
