// `sst stats`: what is in tables, in numbers.
#ifndef SSTABLE_TOOLS_CMD_STATS_H_
#define SSTABLE_TOOLS_CMD_STATS_H_

#include <memory>

#include "tools/cli/command.h"

namespace sstable::tools {

std::unique_ptr<Command> NewStatsCommand();

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CMD_STATS_H_
