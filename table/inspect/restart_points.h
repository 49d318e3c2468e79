// Whether a block's restart points are where readers and filters that know places expect them.
#ifndef SSTABLE_TABLE_INSPECT_RESTART_POINTS_H_
#define SSTABLE_TABLE_INSPECT_RESTART_POINTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "table/block/block.h"
#include "table/block/key_order.h"

namespace sstable {

// Restart points ascend from 0, and each is at an entry that shares nothing. Else why not; does not
// name the block.
std::optional<std::string> FindRestartProblem(const KeyOrder& order, const Block& block);

// Says of a block's entries, one after the other, whether a restart point is at each: whether it
// starts a run. The block's view must stay valid.
class RestartWalk {
 public:
  explicit RestartWalk(const Block& block) : block_(block) {}

  // `entry_offset`: from the start of the block, in bytes.
  bool IsRestart(size_t entry_offset) {
    if (count_ == block_.restart_count() || entry_offset != block_.RestartOffset(count_)) {
      return false;
    }
    ++count_;
    return true;
  }
  uint32_t count() const { return count_; }  // of restart points so far

 private:
  Block block_;
  uint32_t count_ = 0;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_RESTART_POINTS_H_
