// Reads files that are salvaged together, but not as a folder.
#ifndef SSTABLE_DB_SALVAGE_SOURCE_FILES_H_
#define SSTABLE_DB_SALVAGE_SOURCE_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "db/salvage/source_folder.h"
#include "sstable/file.h"

namespace sstable {

// Returns true if a file is a log: by its records, or if its contents do not show what it is, by
// its name.
bool IsLog(const RandomAccessFile& file);

// Returns the state of a folder that has these files and no MANIFEST. Errors: from opening
// them; NotFound if there are neither tables nor logs.
absl::StatusOr<SourceFolder> ReadSourceFiles(const std::vector<std::string>& paths);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_SOURCE_FILES_H_
