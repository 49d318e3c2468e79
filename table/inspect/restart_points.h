// Checks that a block's restart points are where readers expect them.
#ifndef SSTABLE_TABLE_INSPECT_RESTART_POINTS_H_
#define SSTABLE_TABLE_INSPECT_RESTART_POINTS_H_

#include <optional>
#include <string>

#include "table/block/block.h"
#include "table/block/key_order.h"

namespace sstable {

// Returns nullopt if restart points ascend from 0, and each is at an entry that shares nothing.
// Otherwise returns the problem, without the block's name.
std::optional<std::string> FindRestartProblem(const KeyOrder& order, const Block& block);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_RESTART_POINTS_H_
