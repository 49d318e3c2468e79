// Maps a hash to a range without a division.
#ifndef SSTABLE_FILTER_SCALED_HASH_H_
#define SSTABLE_FILTER_SCALED_HASH_H_

#include <cstdint>

namespace sstable {

// Returns floor(hash * count / 2^64), which is below `count` unless `count` is 0.
inline uint64_t Scale(uint64_t hash, uint64_t count) {
#ifdef __SIZEOF_INT128__
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((Wide{hash} * count) >> 64);
#else
  // Long multiplication with digits of 32 bits.
  const uint64_t hash_low = hash & 0xffffffff, hash_high = hash >> 32;
  const uint64_t count_low = count & 0xffffffff, count_high = count >> 32;
  const uint64_t first = hash_high * count_low + (hash_low * count_low >> 32);
  const uint64_t second = hash_low * count_high + (first & 0xffffffff);
  return hash_high * count_high + (first >> 32) + (second >> 32);
#endif
}

}  // namespace sstable

#endif  // SSTABLE_FILTER_SCALED_HASH_H_
