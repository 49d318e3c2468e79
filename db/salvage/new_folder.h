// The folder that a rescue fills: before its first file, and what makes it a database at the end.
#ifndef SSTABLE_DB_SALVAGE_NEW_FOLDER_H_
#define SSTABLE_DB_SALVAGE_NEW_FOLDER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "db/salvage/table_rescue.h"
#include "sstable/database_salvage.h"

namespace sstable {

// Makes `new_folder`, if it does not exist. Errors: AlreadyExists if it is not empty;
// InvalidArgument if it is in `folder` or can't be made; NotFound if there is no `folder`.
absl::Status PrepareNewFolder(absl::string_view folder, const std::string& new_folder);

absl::Status RenameFile(absl::string_view folder, absl::string_view old_name,
                        absl::string_view new_name);
absl::Status RemoveFile(absl::string_view folder, absl::string_view name);

// Writes an empty log, since a database has one; then the MANIFEST of the tables, the comparator
// and the last sequence of `report`; and last CURRENT, without which there is no database.
absl::Status WriteManifest(const DatabaseSalvageReport& report, RescueContext* context);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_NEW_FOLDER_H_
