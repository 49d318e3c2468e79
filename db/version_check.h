// Checks whether LevelDB would find the newest version of each key.
#ifndef SSTABLE_DB_VERSION_CHECK_H_
#define SSTABLE_DB_VERSION_CHECK_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "sstable/database_view.h"

namespace sstable {

// LevelDB looks for a key in the logs, then in the tables of level 0, the newest first, then in
// each deeper level, and takes the first entry that it finds. Reads all entries, and returns a
// problem for each pair of files where the one searched first has an older version of a key, or
// another value at the same sequence; at most 100. Another problem is a missing log whose changes
// the MANIFEST's last sequence counts. Without a MANIFEST there are no levels and no problems.
// `advance` is called with the bytes of each entry. Skips what can't be read. Errors: Unimplemented
// if the order of keys is not known.
absl::StatusOr<std::vector<DatabaseProblem>> CheckVersions(
    const DatabaseView& view, absl::FunctionRef<void(uint64_t bytes)> advance);

}  // namespace sstable

#endif  // SSTABLE_DB_VERSION_CHECK_H_
