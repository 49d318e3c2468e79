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

// The level that most needs a compaction, or -1 if none does.
int LevelToCompact(const Version& version, const Options& options);

// The first level of several that have tables, or level 0 if that has any; else -1.
int LevelToMerge(const Version& version);

struct Compaction {
  int level = 0;
  std::vector<TablePtr> inputs;       // of `level`
  std::vector<TablePtr> next_inputs;  // those of the next level that overlap them

  // With nothing to merge, the table only changes its level.
  bool IsMove() const { return inputs.size() == 1 && next_inputs.empty(); }
};

// Picks tables of `level`, going round its keys: `*last_key` is where the last one went to.
Compaction PickCompaction(const Version& version, int level, std::string* last_key);

// Writes the tables that take the place of the inputs. Leaves out what neither a snapshot from
// `oldest_snapshot` on nor a later one can see, and deletions that have nothing left to hide.
// Calls `pause` now and then, and ends with its error.
absl::StatusOr<std::vector<TablePtr>> RunCompaction(const Compaction& compaction,
                                                    const Version& version, const Options& options,
                                                    uint64_t oldest_snapshot, TableStore* store,
                                                    absl::FunctionRef<absl::Status()> pause);

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_COMPACTION_H_
