// What a database's folder says of itself: its files, CURRENT, and the MANIFEST to go by.
#ifndef SSTABLE_DB_FOLDER_H_
#define SSTABLE_DB_FOLDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/database_view.h"
#include "sstable/version_edit.h"

namespace sstable {

// The path of the file `name` in `folder`, which may end in a slash; or if it is empty, `name`.
std::string PathIn(absl::string_view folder, absl::string_view name);

// The files in `folder`, by name; each kForeign or kLeftOver or kAuxiliary as its name says, until
// somebody knows better. A file that is removed meanwhile may be left out.
absl::StatusOr<std::vector<DatabaseFile>> ListFolder(const std::string& folder);

// Where the state of a folder comes from, at one moment.
struct FolderState {
  StateSource source = StateSource::kFiles;
  absl::Status current_status;  // of ReadCurrentFile()
  std::string manifest_name;    // empty if none could be opened
  std::optional<uint64_t> manifest_size;
  // Others, of a folder without CURRENT, that could not be read: by name, and why.
  std::vector<std::pair<std::string, absl::Status>> unread_manifests;
  Manifest manifest;                // as far as it could be read
  std::vector<DatabaseFile> files;  // listed after the MANIFEST was read
};

// Reads CURRENT and its MANIFEST. Without CURRENT: the newest MANIFEST that is whole and whose
// tables are all there with the right sizes; else kFiles. Errors: those of listing the folder.
absl::StatusOr<FolderState> ReadFolderState(const std::string& folder);

// Whether tables and logs that have been opened since `state` was read are those of one moment: the
// MANIFEST is still the same, and what was appended to it keeps the logs. A compaction meanwhile
// does no harm, if `all_opened`: all tables could still be opened.
bool IsStillValid(const std::string& folder, const FolderState& state, bool all_opened);

}  // namespace sstable

#endif  // SSTABLE_DB_FOLDER_H_
