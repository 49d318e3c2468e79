// Which blocks belong to one table by their keys, where no index says so.
#ifndef SSTABLE_TABLE_SALVAGE_KEY_RUNS_H_
#define SSTABLE_TABLE_SALVAGE_KEY_RUNS_H_

#include <optional>
#include <vector>

#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "table/salvage/carved_file.h"

namespace sstable {

struct ConsistentBlocks {
  // By carved block: it is certain, or nothing contradicts that it is the table's own.
  std::vector<bool> is_consistent;
  // The order of plain or user keys that decided it; null if it is not a known one, or if every
  // block is certain.
  const Comparator* comparator = nullptr;
};

// Blocks that touch each other are of one table, and stay together as a run. A run that is not
// certain is left out if it ends another table, or has the other kind of keys; or if the order of
// keys is known, and blocks of it are not in the heaviest chain of blocks, by offset, with
// ascending keys. Unless that is all of them, a few are excused, and two for each place where keys
// descend within the run: they were written over others. `is_own`: by carved block, it is certain.
// `comparator` and `key_kind`: as in SalvageOptions.
ConsistentBlocks FindConsistent(const CarvedFile& carved, const std::vector<bool>& is_own,
                                const Comparator* comparator, std::optional<KeyKind> key_kind);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_KEY_RUNS_H_
