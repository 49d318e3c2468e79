// `sst build`: a table of records.
#ifndef SSTABLE_TOOLS_CMD_BUILD_H_
#define SSTABLE_TOOLS_CMD_BUILD_H_

#include <memory>

#include "tools/cli/command.h"

namespace sstable::tools {

std::unique_ptr<Command> NewBuildCommand();

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CMD_BUILD_H_
