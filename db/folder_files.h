// Rules about the files of a database's folder, shared by reading and salvage.
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
#include "sstable/database_files.h"

namespace sstable {

// Turns the error `status` of a file into a problem.
DatabaseProblem ProblemOf(std::string name, const absl::Status& status,
                          std::optional<uint64_t> offset = std::nullopt);

// In the functions below, `files` is what ListFolder() returns for `folder`.

// Returns the tables, logs or MANIFESTs by number. If several have the same number, takes the one
// that LevelDB reads: TableFileName() or the like, else a table with the suffix .sst, else a file
// whose number is written differently. The pointers are into `*files`.
std::map<uint64_t, DatabaseFile*> FilesByNumber(DatabaseFileKind kind,
                                                std::vector<DatabaseFile>* files);

// Returns DataLoss, with the path, if `file` is a dangling link, a pipe or a folder with the name
// of a table or log; the system's error if that can't be determined. Does not open the file:
// opening a pipe would affect its writer.
absl::Status NotRegular(absl::string_view folder, const DatabaseFile& file);

// Like NotRegular(), for the file named `name`; OK if there is none.
absl::Status FindNotRegular(absl::string_view folder, const std::vector<DatabaseFile>& files,
                            absl::string_view name);

// Determines the order of user keys from the tables, the largest first; bytewise if none can be
// read or has enough keys to show an order. `max_block_size`: see TableReaderOptions. Errors:
// Unimplemented if no table shows a known order, and the keys of one are in no known order.
absl::StatusOr<const Comparator*> GuessComparator(absl::string_view folder,
                                                  const std::vector<DatabaseFile>& files,
                                                  std::optional<uint64_t> max_block_size);

// Returns DataLoss if LevelDB refuses to open a database in this state, or can't write to it: a
// table is on a level that LevelDB does not have (goleveldb has more), no sequence is left, or the
// next file number would give a table the name of another.
absl::Status CheckLevelDbLimits(const VersionState& state);

}  // namespace sstable

#endif  // SSTABLE_DB_FOLDER_FILES_H_
