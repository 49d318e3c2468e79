// Which data block of a table has a byte of the file, and where in it a run is.
#ifndef SSTABLE_TABLE_BLOCK_BY_OFFSET_H_
#define SSTABLE_TABLE_BLOCK_BY_OFFSET_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "table/table_index.h"

namespace sstable {

// The file is divided into windows, about one for each block; an array says where each starts.
//
// Memory:    4 to 8 bytes a block.
// Ownership: borrows the index, which must outlive it.
// Threads:   immutable.
class BlockByOffset {
 public:
  // nullopt if the index has no blocks, or these do not follow each other in the file as they do in
  // the index.
  static std::optional<BlockByOffset> Make(const TableIndex& index);

  // The last block that starts at or before `offset`; the first one if there is none.
  const IndexRecord& Find(uint64_t offset) const {
    const uint64_t window = offset >> window_lg_;
    if (window + 1 >= first_.size()) return index_->record(index_->size() - 1);
    size_t low = first_[window], high = first_[window + 1];
    while (low < high) {
      const size_t middle = high - (high - low) / 2;
      if (index_->record(middle).block_offset <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return index_->record(low);
  }

 private:
  explicit BlockByOffset(const TableIndex& index) : index_(&index) {}

  const TableIndex* index_;
  int window_lg_ = 0;
  std::vector<uint32_t> first_;  // the block that Find() has for the first byte of each window
};

// Where the run at `place` (filter/locate_filter.h) starts in its block; entries_size() if that has
// no such run.
inline uint64_t RunOffset(const Block& block, const IndexRecord& record, uint64_t place) {
  const uint64_t position = place - record.block_offset;  // large if the place is before the block
  if (position >= record.block_size) return block.entries_size();
  const bool is_raw = block.contents_size() == record.block_size;
  if (!is_raw && position >= block.restart_count()) return block.entries_size();
  return is_raw ? position : block.RestartOffset(static_cast<uint32_t>(position));
}

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_BY_OFFSET_H_
