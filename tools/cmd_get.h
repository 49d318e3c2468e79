// `sst get`: one key of one or more tables.
#ifndef SSTABLE_TOOLS_CMD_GET_H_
#define SSTABLE_TOOLS_CMD_GET_H_

#include <memory>

#include "tools/cli/command.h"

namespace sstable::tools {

std::unique_ptr<Command> NewGetCommand();

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CMD_GET_H_
