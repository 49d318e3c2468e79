// Maps a hash to a range without a division.
#ifndef SSTABLE_FILTER_SCALED_HASH_H_
#define SSTABLE_FILTER_SCALED_HASH_H_

#include <cstdint>

namespace sstable {

// Returns floor(hash * count / 2^64), which is below `count` unless `count` is 0.
inline uint64_t Scale(uint64_t hash, uint64_t count) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((Wide{hash} * count) >> 64);
}

}  // namespace sstable

#endif  // SSTABLE_FILTER_SCALED_HASH_H_
