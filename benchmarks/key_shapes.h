// Keys of typical shapes, each made from a number.
#ifndef SSTABLE_BENCHMARKS_KEY_SHAPES_H_
#define SSTABLE_BENCHMARKS_KEY_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace sstable::bench {

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). Gives
// the same numbers on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  size_t Below(size_t limit) { return static_cast<size_t>(Next() % limit); }

 private:
  uint64_t state_;
};

enum class KeyShape {
  kDecimal,    // 16 digits
  kRandom,     // 16 random bytes
  kPath,       // tenant-00/user/00000061/feed/00000012345
  kComposite,  // big-endian: tenant, microseconds, sequence; 20 bytes
  kUuid,       // version 4, as text
  kUrl,        // 20 to 120 bytes; host popularity follows Zipf's law
  kDomain,     // the same hosts reversed, with a page: org.example.www/...
  kCoins,      // Bitcoin's chainstate: "C", a hash, a varint
  kAccounts,   // geth's snapshot: "o", one of a few accounts' hashes, a slot's hash
  kIndexedDb,  // Chromium's: four numbers, then a UTF-16 string
  kChunks,     // Minecraft Bedrock: x and z little-endian, a tag, a subchunk index
};

// All shapes.
inline constexpr KeyShape kKeyShapes[] = {
    KeyShape::kDecimal,  KeyShape::kRandom,    KeyShape::kPath,   KeyShape::kComposite,
    KeyShape::kUuid,     KeyShape::kUrl,       KeyShape::kDomain, KeyShape::kCoins,
    KeyShape::kAccounts, KeyShape::kIndexedDb, KeyShape::kChunks};

// Returns a name such as "path". Must be in the order of the enum.
const char* NameOf(KeyShape shape);

// Returns the key for this number. Different numbers have different keys.
std::string MakeKey(KeyShape shape, uint64_t number);

inline std::string RandomKey(Random* random) { return MakeKey(KeyShape::kRandom, random->Next()); }

// Returns true if larger numbers have larger keys.
bool IsInOrder(KeyShape shape);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_KEY_SHAPES_H_
