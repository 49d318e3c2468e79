// What a folder is: LevelDB's, another program's, encrypted, or a parent of LevelDB's.
#ifndef SSTABLE_DB_FOLDER_KIND_H_
#define SSTABLE_DB_FOLDER_KIND_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "sstable/database_view.h"

namespace sstable {

// OK if `folder` is a database of LevelDB's, as far as its names and the first file show; `files`
// is what ListFolder() returns for it. Otherwise the error names the folder and says what it is:
// NotFound without CURRENT, MANIFEST, table and log, with the folders in it that have a CURRENT;
// FailedPrecondition if all tables are pointers of git-lfs or git-annex; Unimplemented if all are
// in another format or encrypted, or if it is RocksDB's, Pebble's or Badger's by other files.
absl::Status CheckFolderKind(const std::string& folder, const std::vector<DatabaseFile>& files);

}  // namespace sstable

#endif  // SSTABLE_DB_FOLDER_KIND_H_
