// Rules about the files of a database's folder, for those who read it and those who rescue it.
#ifndef SSTABLE_DB_FOLDER_FILES_H_
#define SSTABLE_DB_FOLDER_FILES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"
#include "sstable/version_edit.h"

namespace sstable {

// The problem with the file of that name that `status` is.
DatabaseProblem ProblemOf(std::string name, const absl::Status& status,
                          std::optional<uint64_t> offset = std::nullopt);

// `files` is what ListFolder() returns for `folder`.

// The tables, logs or MANIFESTs by number. Of several with a number, the one that LevelDB reads:
// first TableFileName() and so on, then with the suffix .sst; only without these, one with a number
// that is written in another way. The pointers are into `*files`.
std::map<uint64_t, DatabaseFile*> FilesByNumber(DatabaseFileKind kind,
                                                std::vector<DatabaseFile>* files);

// DataLoss, with the path, if `file` is a link to nothing, a pipe or a folder by the name of a
// table or log; the system's error if that can't be found out. It is not opened: a pipe would have
// an effect on who writes to it.
absl::Status NotRegular(absl::string_view folder, const DatabaseFile& file);

// The same of the file of that name; OK if there is none.
absl::Status FindNotRegular(absl::string_view folder, const std::vector<DatabaseFile>& files,
                            absl::string_view name);

// The order of user keys that a table shows, the largest first; bytewise if all have too few keys
// to show any, or can't be read. `max_block_size`: as TableReaderOptions has it. Errors:
// Unimplemented if none shows a known order, and one has keys that are in none.
absl::StatusOr<const Comparator*> GuessComparator(absl::string_view folder,
                                                  const std::vector<DatabaseFile>& files,
                                                  std::optional<uint64_t> max_block_size);

// DataLoss if LevelDB refuses to open a database in this state, or can't write to it: a table is on
// a level that it does not have, there is no sequence left, or the next file number would give a
// table the name of another. goleveldb has more levels.
absl::Status CheckLevelDbLimits(const VersionState& state);

}  // namespace sstable

#endif  // SSTABLE_DB_FOLDER_FILES_H_
