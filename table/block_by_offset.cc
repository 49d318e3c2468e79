#include "table/block_by_offset.h"

#include <limits>

namespace sstable {

std::optional<BlockByOffset> BlockByOffset::Make(const TableIndex& index) {
  const size_t count = index.size();
  if (count == 0 || count > std::numeric_limits<uint32_t>::max()) return std::nullopt;
  for (size_t i = 1; i < count; ++i) {
    if (index.record(i).block_offset <= index.record(i - 1).block_offset) return std::nullopt;
  }
  BlockByOffset blocks(index);
  const uint64_t last = index.record(count - 1).block_offset;
  while (blocks.window_lg_ < 63 && last >> (blocks.window_lg_ + 1) >= count) ++blocks.window_lg_;
  const uint64_t window_count = (last >> blocks.window_lg_) + 2;  // at most 2 * count + 1
  blocks.first_.reserve(window_count);
  size_t block = 0;
  for (uint64_t window = 0; window + 1 < window_count; ++window) {
    const uint64_t start = window << blocks.window_lg_;
    while (block + 1 < count && index.record(block + 1).block_offset <= start) ++block;
    blocks.first_.push_back(static_cast<uint32_t>(block));
  }
  blocks.first_.push_back(static_cast<uint32_t>(count - 1));
  return blocks;
}

}  // namespace sstable
