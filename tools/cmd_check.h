// `sst check`: everything that is wrong with tables.
#ifndef SSTABLE_TOOLS_CMD_CHECK_H_
#define SSTABLE_TOOLS_CMD_CHECK_H_

#include <memory>

#include "tools/cli/command.h"

namespace sstable::tools {

std::unique_ptr<Command> NewCheckCommand();

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CMD_CHECK_H_
