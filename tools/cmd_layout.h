// `sst layout`: what every byte of a table is.
#ifndef SSTABLE_TOOLS_CMD_LAYOUT_H_
#define SSTABLE_TOOLS_CMD_LAYOUT_H_

#include <memory>

#include "tools/cli/command.h"

namespace sstable::tools {

std::unique_ptr<Command> NewLayoutCommand();

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CMD_LAYOUT_H_
