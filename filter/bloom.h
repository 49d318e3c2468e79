// The bits of LevelDB's Bloom filter.
//
// Format: filter/bloom_view.h has the bytes. A filter of n keys at b bits per key has m = max(64, n
// * b) bits, rounded up to whole bytes. For each key with hash h, the bits h, h + d, ..., h + (k -
// 1) * d are set, each modulo 2^32 and then modulo m, where d = h rotated right by 17. Part of the
// file format.
// Source: LevelDB, util/bloom.cc; "double hashing" after Kirsch and Mitzenmacher, 2006.
#ifndef SSTABLE_FILTER_BLOOM_H_
#define SSTABLE_FILTER_BLOOM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "filter/bloom_view.h"
#include "sstable/filter_policy.h"
#include "util/hash.h"

namespace sstable {

inline constexpr uint32_t kBloomHashSeed = 0xbc9f1d34;

// The hash of a key.
template <HashTail kTail = HashTail::kUnsigned>
inline uint32_t BloomKeyHash(absl::string_view key) {
  return Hash<kTail>(key, kBloomHashSeed);
}

// Which hash of a key a Bloom filter was made with; see util/hash.h.
enum class BloomHash {
  kUnsignedTail,
  kSignedTail,
  kEitherTail,  // unknown: lookups try both, builders use the unsigned one
};

// The parameters of a policy that is LevelDB's Bloom filter. With them, a builder keeps hashes
// instead of keys, and a reader probes without a virtual call.
struct BloomTraits {
  int bits_per_key = 10;
  BloomHash hash = BloomHash::kUnsignedTail;
  // Number of bytes at the end of each key that are not hashed. A shorter key is hashed in full.
  size_t ignored_suffix_size = 0;
  // If above 0, each filter is sized for this false-positive rate, and `bits_per_key` is ignored.
  double rate = 0;
};

// Returns the traits of a policy made by NewBloomFilterPolicy() or NewBloomFilterPolicyForRate(),
// even if wrapped in an InternalFilterPolicy; nullopt for any other policy.
std::optional<BloomTraits> BloomTraitsOf(const FilterPolicy& policy);

// Returns the number of probes for this many bits per key: 0.69 (about ln 2) times as many, at
// least 1, at most 30.
int BloomProbeCount(int bits_per_key);

// The size of a filter.
struct BloomShape {
  size_t byte_count;  // without the byte for the probe count
  int probe_count;
};

// Returns the shape of a filter of `key_count` keys, with the bits per key or the rate in `traits`.
BloomShape BloomShapeFor(const BloomTraits& traits, size_t key_count);

// Returns the false-positive rate to expect of LevelDB's probes in a filter of this shape with
// `key_count` keys; see bloom.cc.
double ExpectedBloomRate(const BloomShape& shape, size_t key_count);

// Appends to `*dst` the filter of the keys with these hashes; their order does not matter.
void AppendBloomFilter(absl::Span<const uint32_t> hashes, const BloomTraits& traits,
                       std::string* dst);

// Returns true if a key with this hash may be in the filter. False if the filter is too short to
// have any bits; true if its probe count is one that LevelDB reserves for other encodings (above
// 30).
bool BloomMayContain(uint32_t hash, absl::string_view filter);

// Returns `key` without the ignored suffix, or all of a key too short to have one, as
// ExtractUserKey() does.
inline absl::string_view WithoutIgnoredSuffix(const BloomTraits& traits, absl::string_view key) {
  return key.size() < traits.ignored_suffix_size
             ? key
             : key.substr(0, key.size() - traits.ignored_suffix_size);
}

// The hash with which a key is added to a filter.
inline uint32_t BloomCreationHash(const BloomTraits& traits, absl::string_view key) {
  key = WithoutIgnoredSuffix(traits, key);
  return traits.hash == BloomHash::kSignedTail ? BloomKeyHash<HashTail::kSigned>(key)
                                               : BloomKeyHash<HashTail::kUnsigned>(key);
}

// Calls `matches` with the tail and the value of each hash of `key` that `traits` ask for, until
// one matches. Returns whether one did.
template <typename Matches>
bool AnyBloomHash(const BloomTraits& traits, absl::string_view key, Matches matches) {
  key = WithoutIgnoredSuffix(traits, key);
  if (traits.hash != BloomHash::kSignedTail &&
      matches(HashTail::kUnsigned, BloomKeyHash<HashTail::kUnsigned>(key))) {
    return true;
  }
  const bool has_another = traits.hash == BloomHash::kSignedTail ||
                           (traits.hash == BloomHash::kEitherTail && HashTailMatters(key));
  return has_another && matches(HashTail::kSigned, BloomKeyHash<HashTail::kSigned>(key));
}

// BloomMayContain() for a key, with the hash or hashes that `traits` ask for.
bool BloomMayContainKey(const BloomTraits& traits, absl::string_view key, absl::string_view filter);

}  // namespace sstable

#endif  // SSTABLE_FILTER_BLOOM_H_
