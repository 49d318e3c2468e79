// Makes a database of a folder with finished tables.
#ifndef SSTABLE_DB_FIRST_MANIFEST_H_
#define SSTABLE_DB_FIRST_MANIFEST_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/database_files.h"

namespace sstable {

// Writes and syncs an empty log, which every database needs, and a MANIFEST with one edit. `edit`
// gives the comparator, the last sequence and the tables. The new files get `next_number` and the
// number after it. Returns the MANIFEST's number, for SetCurrentFile(): only CURRENT makes the
// folder a database. Errors: write errors.
absl::StatusOr<uint64_t> WriteFirstManifest(absl::string_view folder, VersionEdit edit,
                                            uint64_t next_number);

}  // namespace sstable

#endif  // SSTABLE_DB_FIRST_MANIFEST_H_
