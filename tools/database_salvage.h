// `sst salvage` of a folder: runs the rescue, and reports it as text or JSON.
#ifndef SSTABLE_TOOLS_DATABASE_SALVAGE_H_
#define SSTABLE_TOOLS_DATABASE_SALVAGE_H_

#include <string>

#include "sstable/database_salvage.h"
#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"
#include "tools/records/json.h"

namespace sstable::tools {

// A signal ends it: the new folder then has no CURRENT.
ExitCode SalvageFolder(const std::string& folder, const std::string& new_folder,
                       DatabaseSalvageOptions options, ReportFormat format, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DATABASE_SALVAGE_H_
