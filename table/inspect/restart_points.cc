#include "table/inspect/restart_points.h"

#include <cstdint>

#include "absl/strings/str_format.h"
#include "table/block/block_iterator.h"

namespace sstable {

std::optional<std::string> FindRestartProblem(const KeyOrder& order, const Block& block) {
  if (block.restart_count() == 0) return std::nullopt;
  if (block.RestartOffset(0) != 0) {
    return absl::StrFormat(
        "restart point 0 is at offset %d in the block; readers that start there miss the entries "
        "before it",
        block.RestartOffset(0));
  }
  uint32_t next = 0;  // the next restart point that the walk will reach
  BlockIterator entries(&order, block);
  entries.SeekToFirst();
  for (; entries.Valid() && next < block.restart_count(); entries.Next()) {
    if (entries.entry_offset() < block.RestartOffset(next)) continue;
    BlockEntry entry;
    DecodeEntry(block.begin() + entries.entry_offset(), block, &entry);
    if (entries.entry_offset() != block.RestartOffset(next) || entry.shared != 0) break;
    ++next;
  }
  if (next == block.restart_count() || (block.entries_size() == 0 && block.restart_count() == 1)) {
    return std::nullopt;
  }
  return absl::StrFormat(
      "restart point %d of %d, at offset %d in the block, is not at an entry with a whole key",
      next, block.restart_count(), block.RestartOffset(next));
}

}  // namespace sstable
