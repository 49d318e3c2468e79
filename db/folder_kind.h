// Determines what a folder is: LevelDB's, another program's, encrypted, or a parent of LevelDB's.
#ifndef SSTABLE_DB_FOLDER_KIND_H_
#define SSTABLE_DB_FOLDER_KIND_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "sstable/database_files.h"

namespace sstable {

// Returns OK if `folder` is a LevelDB database, judging by its file names and the first file.
// `files` is the result of ListFolder() for it. Other statuses name the folder and say what it is:
// NotFound if there is no CURRENT, MANIFEST, table or log, with the sub-folders that have one;
// FailedPrecondition if all tables are pointers of git-lfs or git-annex; Unimplemented if all are
// encrypted or in another format, or if other files show that it is RocksDB's, Pebble's or
// Badger's.
absl::Status CheckFolderKind(const std::string& folder, const std::vector<DatabaseFile>& files);

}  // namespace sstable

#endif  // SSTABLE_DB_FOLDER_KIND_H_
