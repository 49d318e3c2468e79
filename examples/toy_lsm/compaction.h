// Leveled compaction: merges tables of a level into the next one.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_COMPACTION_H_
#define SSTABLE_EXAMPLES_TOY_LSM_COMPACTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "examples/toy_lsm/options.h"
#include "examples/toy_lsm/table_store.h"
#include "examples/toy_lsm/version.h"

namespace toy_lsm {

// Returns the level that most needs a compaction, or -1 if none does. `to_one_level`: returns the
// first level that has tables, unless it is the only one, and not level 0.
int LevelToCompact(const Version& version, const Options& options, bool to_one_level);

// Returns tables of `level`, and those of the next level that overlap them. Cycles through the keys
// of the level: begins at `*next_key`, and advances it.
std::vector<TablePtr> PickInputs(const Version& version, int level, std::string* next_key);

// Writes the tables that replace the inputs, in `level`. Leaves out versions that neither
// `oldest_snapshot` nor a later snapshot can see, and deletions that hide nothing any more. Calls
// `pause` regularly, and returns its error.
absl::StatusOr<std::vector<TablePtr>> Merge(const std::vector<TablePtr>& inputs, int level,
                                            const Version& version, const Options& options,
                                            uint64_t oldest_snapshot, TableStore* store,
                                            absl::FunctionRef<absl::Status()> pause);

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_COMPACTION_H_
