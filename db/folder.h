// The state of a database's folder: its files, CURRENT, and the MANIFEST to use.
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
#include "sstable/database_files.h"

namespace sstable {

// Returns the path of the file `name` in `folder`, which may end in a slash; `name` if `folder` is
// empty.
std::string PathIn(absl::string_view folder, absl::string_view name);

// DatabaseFile::size of a table whose size was not read.
inline constexpr uint64_t kUnknownSize = UINT64_MAX;

// Lists the files in `folder`, sorted by name. Sets `use` from the name only, to kForeign,
// kLeftOver or kAuxiliary. Files removed meanwhile may be missing. Does not read the sizes of
// tables in `version` that the listing shows to be regular files.
absl::StatusOr<std::vector<DatabaseFile>> ListFolder(const std::string& folder,
                                                     const VersionState* version = nullptr);

// Reads the unknown sizes. They stay unknown for files that were removed meanwhile.
void ReadSizes(const std::string& folder, std::vector<DatabaseFile>* files);

// The state of a folder at one moment, and where it comes from.
struct FolderState {
  StateSource source = StateSource::kFiles;
  absl::Status current_status;  // result of ReadCurrentFile()
  std::string manifest_name;    // empty if none could be opened
  std::optional<uint64_t> manifest_size;
  // If CURRENT does not lead to a MANIFEST: the other MANIFESTs that could not be read, and why.
  std::vector<std::pair<std::string, absl::Status>> unread_manifests;
  Manifest manifest;  // as far as it could be read
  // Listed after the MANIFEST was read. If the MANIFEST is complete, its tables' sizes may be
  // unknown.
  std::vector<DatabaseFile> files;
};

// Reads CURRENT and its MANIFEST. If either can't be read, takes the newest complete MANIFEST whose
// tables all exist with the right sizes; if there is none, `source` is kFiles. If `needs_sizes` is
// true, reads all sizes. Errors: as for CheckFolderKind(); errors from listing the folder;
// Unimplemented if all MANIFESTs are another program's.
absl::StatusOr<FolderState> ReadFolderState(const std::string& folder, bool needs_sizes);

// Returns true if the tables and logs opened since `state` was read belong to one moment. This is
// so if the MANIFEST is unchanged, or if the edits appended to it keep its log number and
// `all_opened` is true. (A compaction does no harm if all tables could still be opened.)
bool IsStillValid(const std::string& folder, const FolderState& state, bool all_opened);

}  // namespace sstable

#endif  // SSTABLE_DB_FOLDER_H_
