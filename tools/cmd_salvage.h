// `sst salvage`: what is left of a damaged table, as a sound one.
#ifndef SSTABLE_TOOLS_CMD_SALVAGE_H_
#define SSTABLE_TOOLS_CMD_SALVAGE_H_

#include <memory>

#include "tools/cli/command.h"

namespace sstable::tools {

std::unique_ptr<Command> NewSalvageCommand();

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CMD_SALVAGE_H_
