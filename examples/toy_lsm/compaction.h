// Leveled compaction: merges tables of one level into the next.
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

// Returns the level that needs a compaction most, or -1 if none does. If `to_one_level`, returns
// the first level with tables if that is level 0 or if deeper levels have tables, too.
int LevelToCompact(const Version& version, const Options& options, bool to_one_level);

// Returns tables of `level` and the overlapping tables of the next level. Cycles through the keys
// of the level: starts at `*next_key` and advances it.
std::vector<TablePtr> PickInputs(const Version& version, int level, std::string* next_key);

// Writes the tables for `level` that replace the inputs. Drops versions that neither
// `oldest_snapshot` nor a later snapshot can see, and deletions that no longer hide anything. Calls
// `pause` regularly and returns its error.
absl::StatusOr<std::vector<TablePtr>> Merge(const std::vector<TablePtr>& inputs, int level,
                                            const Version& version, const Options& options,
                                            uint64_t oldest_snapshot, TableStore* store,
                                            absl::FunctionRef<absl::Status()> pause);

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_COMPACTION_H_
