// Makes a database of a folder with finished tables.
#ifndef SSTABLE_DB_FIRST_MANIFEST_H_
#define SSTABLE_DB_FIRST_MANIFEST_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/database_files.h"

namespace sstable {

// Writes an empty log, which a database must have, and a MANIFEST with one edit. `edit` has the
// comparator, the last sequence and the tables; the new files get `next_number` and the number
// after it. Returns the MANIFEST's, for SetCurrentFile(): without CURRENT there is no database. All
// files are synced first. Errors: those of writing the files.
absl::StatusOr<uint64_t> WriteFirstManifest(absl::string_view folder, VersionEdit edit,
                                            uint64_t next_number);

}  // namespace sstable

#endif  // SSTABLE_DB_FIRST_MANIFEST_H_
