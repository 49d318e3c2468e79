// Checks whether LevelDB would find the newest version of each key.
#ifndef SSTABLE_DB_VERSION_CHECK_H_
#define SSTABLE_DB_VERSION_CHECK_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "sstable/database_view.h"

namespace sstable {

// Returns a problem for each pair of files in which LevelDB would find an older version of a key
// before a newer one, or different values with the same sequence; at most 100. LevelDB searches the
// logs, the tables of level 0, newest first, then each deeper level, and takes the first entry that
// it finds. Also reports a missing log whose changes are counted in the MANIFEST's last sequence.
// Without a MANIFEST there are no levels and no problems. Reads all entries and passes the bytes of
// each to `advance`; skips what can't be read. Errors: Unimplemented if the order of keys is not
// known.
absl::StatusOr<std::vector<DatabaseProblem>> CheckVersions(
    const DatabaseView& view, absl::FunctionRef<void(uint64_t bytes)> advance);

}  // namespace sstable

#endif  // SSTABLE_DB_VERSION_CHECK_H_
