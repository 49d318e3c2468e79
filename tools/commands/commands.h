// The sub-commands of `sst`, each in cmd_NAME.cc.
#ifndef SSTABLE_TOOLS_COMMANDS_COMMANDS_H_
#define SSTABLE_TOOLS_COMMANDS_COMMANDS_H_

#include <memory>

#include "tools/cli/command.h"

namespace sstable::tools {

std::unique_ptr<Command> NewBuildCommand();
std::unique_ptr<Command> NewSplitCommand();
std::unique_ptr<Command> NewManifestCommand();
std::unique_ptr<Command> NewMergeCommand();
std::unique_ptr<Command> NewDumpCommand();
std::unique_ptr<Command> NewGetCommand();
std::unique_ptr<Command> NewGrepCommand();
std::unique_ptr<Command> NewExportCommand();
std::unique_ptr<Command> NewDiffCommand();
std::unique_ptr<Command> NewDuCommand();
std::unique_ptr<Command> NewLsCommand();
std::unique_ptr<Command> NewLayoutCommand();
std::unique_ptr<Command> NewCheckCommand();
std::unique_ptr<Command> NewReportCommand();
std::unique_ptr<Command> NewSalvageCommand();
std::unique_ptr<Command> NewSampleCommand();
std::unique_ptr<Command> NewFilterCommand();
std::unique_ptr<Command> NewFilterAddCommand();
std::unique_ptr<Command> NewFilterStripCommand();
std::unique_ptr<Command> NewFilterCompareCommand();
std::unique_ptr<Command> NewStatsCommand();

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_COMMANDS_COMMANDS_H_
