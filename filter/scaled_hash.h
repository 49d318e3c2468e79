// Maps a hash to a range without a division.
#ifndef SSTABLE_FILTER_SCALED_HASH_H_
#define SSTABLE_FILTER_SCALED_HASH_H_

#include <cstdint>

namespace sstable {

// Returns `hash`, as a fraction of 2^64, times `count`: less than `count`, unless that is 0.
inline uint64_t Scale(uint64_t hash, uint64_t count) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((Wide{hash} * count) >> 64);
}

}  // namespace sstable

#endif  // SSTABLE_FILTER_SCALED_HASH_H_
