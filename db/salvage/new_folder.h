// The folder that a rescue writes to: prepares it, and makes it a database at the end.
#ifndef SSTABLE_DB_SALVAGE_NEW_FOLDER_H_
#define SSTABLE_DB_SALVAGE_NEW_FOLDER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/salvage/table_rescue.h"
#include "sstable/salvage.h"

namespace sstable {

// Creates `new_folder`, if it does not exist, accessible to this user only. Returns true if it was
// created. `folder` may be empty if the input is in several folders. Errors: AlreadyExists if
// `new_folder` is not empty; InvalidArgument if it is inside `folder` or can't be created; NotFound
// if there is no `folder`.
absl::StatusOr<bool> PrepareNewFolder(absl::string_view folder, const std::string& new_folder);

// Makes a hard link to a file, or to the target of a symbolic link. If that is impossible, makes a
// file that shares the old one's blocks (a reflink). Returns false, without a new file, if neither
// is possible, as on another file system, or if the file does not have `size` bytes, as when it is
// decrypted.
bool LinkFile(const std::string& old_path, const std::string& new_path, uint64_t size);

absl::Status RenameFile(absl::string_view folder, absl::string_view old_name,
                        absl::string_view new_name);
absl::Status RemoveFile(absl::string_view folder, absl::string_view name);

// Writes an empty log, which every database needs, and the MANIFEST with the tables, comparator and
// last sequence of `report`. When all files are on disk, writes CURRENT, which makes the folder a
// database.
absl::Status WriteManifest(const DatabaseSalvageReport& report, RescueContext* context);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_NEW_FOLDER_H_
