// `sst filter`: what a table's filter is worth.
#ifndef SSTABLE_TOOLS_CMD_FILTER_H_
#define SSTABLE_TOOLS_CMD_FILTER_H_

#include <memory>

#include "tools/cli/command.h"

namespace sstable::tools {

std::unique_ptr<Command> NewFilterCommand();

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CMD_FILTER_H_
