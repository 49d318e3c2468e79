// LevelDB's 32-bit hash, for the Bloom filter.
#ifndef SSTABLE_UTIL_HASH_H_
#define SSTABLE_UTIL_HASH_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "util/coding.h"

namespace sstable {

enum class HashTail { kUnsigned, kSigned };

inline constexpr uint32_t kHashMultiplier = 0xc6a4a793;

// To hash: HashStart(size of the data), then each word of the data, then the remaining bytes;
// HashRest() does the last two. They are separate so that several keys can be hashed side by side.
inline uint32_t HashStart(size_t size, uint32_t seed) {
  return seed ^ (static_cast<uint32_t>(size) * kHashMultiplier);
}

template <HashTail kTail>
inline uint32_t HashRest(absl::string_view data, uint32_t h) {
  const char* p = data.data();
  const size_t tail_size = data.size() % 4;
  const char* const words_end = p + (data.size() - tail_size);
  for (; p != words_end; p += 4) {
    h += DecodeFixed32(p);
    h *= kHashMultiplier;
    h ^= h >> 16;
  }
  if (tail_size == 0) return h;
  const auto tail_byte = [p](size_t i) -> uint32_t {
    if constexpr (kTail == HashTail::kSigned) {
      return static_cast<uint32_t>(static_cast<int32_t>(static_cast<signed char>(p[i])));
    } else {
      return static_cast<unsigned char>(p[i]);
    }
  };
  if (tail_size == 3) h += tail_byte(2) << 16;
  if (tail_size >= 2) h += tail_byte(1) << 8;
  h += tail_byte(0);
  h *= kHashMultiplier;
  h ^= h >> 24;
  return h;
}

// Inline, since lookups and builds spend much of their time here.
template <HashTail kTail = HashTail::kUnsigned>
inline uint32_t Hash(absl::string_view data, uint32_t seed) {
  return HashRest<kTail>(data, HashStart(data.size(), seed));
}

// Returns true if the two forms of the hash can differ for `data`.
inline bool HashTailMatters(absl::string_view data) {
  for (size_t i = data.size() - data.size() % 4; i < data.size(); ++i) {
    if (static_cast<unsigned char>(data[i]) >= 0x80) return true;
  }
  return false;
}

}  // namespace sstable

#endif  // SSTABLE_UTIL_HASH_H_
