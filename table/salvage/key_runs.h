// Decides by their keys which blocks belong to one table, if there is no index.
#ifndef SSTABLE_TABLE_SALVAGE_KEY_RUNS_H_
#define SSTABLE_TABLE_SALVAGE_KEY_RUNS_H_

#include <optional>
#include <vector>

#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "table/salvage/carved_file.h"

namespace sstable {

struct ConsistentBlocks {
  // For each carved block: true if it certainly belongs to the table, or if nothing shows that it
  // does not.
  std::vector<bool> is_consistent;
  // The order of plain or user keys that was used; null if the keys are in no known order, or if
  // every block is certain.
  const Comparator* comparator = nullptr;
};

// A run is a sequence of adjacent blocks; all of its blocks belong to the same table. A run that is
// not certain is left out if it ends another table, or if its keys are of the other kind. If the
// order of keys is known, a run is also left out if too many of its blocks are missing from the
// longest chain, in bytes, of blocks whose keys ascend in order of offset. A few may be missing,
// since they may have been written over other blocks: one in kBlocksPerMisfit, and two for each
// place where keys descend within the run. `is_certain`: for each carved block, whether it is
// certain. `comparator` and `key_kind`: as in SalvageOptions.
ConsistentBlocks FindConsistent(const CarvedFile& carved, const std::vector<bool>& is_certain,
                                const Comparator* comparator, std::optional<KeyKind> key_kind);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_KEY_RUNS_H_
