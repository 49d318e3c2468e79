// `sst dump`: the entries of tables.
#ifndef SSTABLE_TOOLS_CMD_DUMP_H_
#define SSTABLE_TOOLS_CMD_DUMP_H_

#include <memory>

#include "tools/cli/command.h"

namespace sstable::tools {

std::unique_ptr<Command> NewDumpCommand();

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CMD_DUMP_H_
