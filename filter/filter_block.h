// What the two sides of a filter block share.
//
// Format: filter[0] ... filter[n - 1] ++ fixed32 offset[0] ... offset[n - 1] ++ fixed32
//         array_offset ++ u8 base_lg. Filter i is at offset[i] in the block and ends where the next
//         one starts, the last at array_offset, where the offset array starts. It is for the data
//         blocks that start in window i of the file: bytes [i << base_lg, (i + 1) << base_lg).
// Page:   docs/filter_block.md.
#ifndef SSTABLE_FILTER_FILTER_BLOCK_H_
#define SSTABLE_FILTER_FILTER_BLOCK_H_

#include <cstddef>
#include <cstdint>

namespace sstable {

// Part of the file format; changing it breaks no reader that obeys the byte in the file, but
// LevelDB writes no other.
inline constexpr int kDefaultFilterBaseLg = 11;  // 2 KiB

inline constexpr int kMaxFilterBaseLg = 63;        // a window number is a shift of a 64-bit offset
inline constexpr size_t kFilterBlockTailSize = 5;  // array_offset and base_lg

}  // namespace sstable

#endif  // SSTABLE_FILTER_FILTER_BLOCK_H_
