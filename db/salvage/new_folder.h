// The folder that a rescue fills: before its first file, and what makes it a database at the end.
#ifndef SSTABLE_DB_SALVAGE_NEW_FOLDER_H_
#define SSTABLE_DB_SALVAGE_NEW_FOLDER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/salvage/table_rescue.h"
#include "sstable/database_salvage.h"

namespace sstable {

// Makes `new_folder`, if it does not exist, for this user only; returns whether it did. `folder`
// may be empty, if what is read is in many. Errors: AlreadyExists if it is not empty;
// InvalidArgument if it is in `folder` or can't be made; NotFound if there is no `folder`.
absl::StatusOr<bool> PrepareNewFolder(absl::string_view folder, const std::string& new_folder);

// Gives `new_path` the mode of `old_path`, but so that its owner can read and write; and its owner
// and group, as far as the process may. Nothing if both are the same file, or a call fails.
void KeepModeAndOwner(const std::string& old_path, const std::string& new_path);

// Makes a hard link to a file, or to what a symbolic link leads to; where that is not possible, a
// new file that shares the old one's blocks (a reflink). False if neither is possible, as on
// another file system, or the file has not `size` bytes, as one that is decrypted. Then there is no
// new file.
bool LinkFile(const std::string& old_path, const std::string& new_path, uint64_t size);

absl::Status RenameFile(absl::string_view folder, absl::string_view old_name,
                        absl::string_view new_name);
absl::Status RemoveFile(absl::string_view folder, absl::string_view name);

// Writes an empty log, since a database has one; then the MANIFEST of the tables, the comparator
// and the last sequence of `report`; and last CURRENT, without which there is no database.
absl::Status WriteManifest(const DatabaseSalvageReport& report, RescueContext* context);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_NEW_FOLDER_H_
