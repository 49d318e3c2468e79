// MurmurHash3_x86_32. StarRocks builds filters with it under LevelDB's name, with the seed of
// LevelDB's hash.
#ifndef SSTABLE_TABLE_INSPECT_MURMUR3_H_
#define SSTABLE_TABLE_INSPECT_MURMUR3_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "util/coding.h"

namespace sstable {

inline uint32_t Murmur3(absl::string_view data, uint32_t seed) {
  const auto rotate = [](uint32_t x, int bits) { return x << bits | x >> (32 - bits); };
  const auto mix = [&rotate](uint32_t word) { return rotate(word * 0xcc9e2d51, 15) * 0x1b873593; };
  const size_t tail_size = data.size() % 4;
  const char* p = data.data();
  uint32_t h = seed;
  for (const char* const end = p + (data.size() - tail_size); p != end; p += 4) {
    h = rotate(h ^ mix(DecodeFixed32(p)), 13) * 5 + 0xe6546b64;
  }
  uint32_t tail = 0;
  for (size_t i = tail_size; i > 0; --i) tail = tail << 8 | static_cast<unsigned char>(p[i - 1]);
  h ^= mix(tail) ^ static_cast<uint32_t>(data.size());
  h = (h ^ h >> 16) * 0x85ebca6b;
  h = (h ^ h >> 13) * 0xc2b2ae35;
  return h ^ h >> 16;
}

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_MURMUR3_H_
