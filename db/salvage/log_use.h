// Decides which logs of a damaged folder have changes that no table has.
#ifndef SSTABLE_DB_SALVAGE_LOG_USE_H_
#define SSTABLE_DB_SALVAGE_LOG_USE_H_

#include <map>
#include <string>
#include <vector>

#include "db/salvage/source_folder.h"
#include "sstable/database_files.h"

namespace sstable {

struct LogUse {
  bool is_needed = true;
  std::string problem;  // why its number can't be trusted; empty if it can
};

// Returns for each log, by name, whether it is needed. The number decides, unless sequences show
// that files have exchanged names: a log with a higher number has higher sequences.
std::map<std::string, LogUse> FindLogUses(const std::string& folder,
                                          const std::vector<SourceFile>& logs,
                                          const VersionState& version);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_LOG_USE_H_
