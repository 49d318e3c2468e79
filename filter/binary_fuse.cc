// Binary fuse filters: each key has four places in an array, whose contents XOR to its fingerprint.
// After Graf and Lemire, "Binary fuse filters: fast and smaller than xor filters", 2022. The keys
// are divided into shards, each with an array of its own, so that building needs little memory
// besides the hashes, and stays in the cache.
//
// Format: place[0] ... of each shard ++ u8 seed[0] ... of each shard ++ fixed32 shard_count ++
//         fixed32 segment_count ++ u8 segment_lg. A place has 1 or 2 bytes (little-endian).
// Page:   docs/filter_block.md#binary-fuse-filter.
#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "filter/scaled_hash.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "util/coding.h"

namespace sstable {
namespace {

constexpr size_t kPlaces = 4;  // places of a key
constexpr size_t kTailSize = 9;
constexpr int kMaxSegmentLg = 18;
constexpr int kSeeds = 16;                          // seeds tried for each shard
constexpr uint64_t kShardKeys = uint64_t{1} << 17;  // keys per shard, on average at most

// The layout of each shard's array: segments of 2^segment_lg places. A key's first place is in one
// of the first `segment_count` segments, its other places in the three segments that follow.
struct Geometry {
  uint32_t segment_count = 1;
  int segment_lg = 0;

  uint64_t first_places() const { return uint64_t{segment_count} << segment_lg; }
  uint64_t place_count() const { return (uint64_t{segment_count} + kPlaces - 1) << segment_lg; }

  // Finds the four places for a hash that MixHash() made.
  void Places(uint64_t mixed, uint64_t* places) const {
    const uint64_t segment_size = uint64_t{1} << segment_lg;
    const uint64_t mask = segment_size - 1;
    places[0] = Scale(mixed, first_places());
    places[1] = (places[0] + segment_size) ^ ((mixed >> 36) & mask);
    places[2] = (places[0] + 2 * segment_size) ^ ((mixed >> 18) & mask);
    places[3] = (places[0] + 3 * segment_size) ^ (mixed & mask);
  }
};

uint64_t MixHash(uint64_t hash, int seed) {
  hash = (hash + (static_cast<uint64_t>(seed) + 1) * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
  return hash ^ (hash >> 33);
}

// Loads one place of the array.
template <size_t kBytes>
uint32_t Load(const char* array, uint64_t place) {
  const auto* p = reinterpret_cast<const unsigned char*>(array) + kBytes * place;
  return kBytes == 1 ? p[0] : static_cast<uint32_t>(p[0] | p[1] << 8);
}
template <size_t kBytes>
void Store(char* array, uint64_t place, uint32_t value) {
  array[kBytes * place] = static_cast<char>(value);
  if (kBytes == 2) array[kBytes * place + 1] = static_cast<char>(value >> 8);
}

template <size_t kBytes>
uint32_t Fingerprint(uint64_t mixed) {
  return static_cast<uint32_t>(mixed ^ (mixed >> 32)) & (kBytes == 1 ? 0xff : 0xffff);
}

template <size_t kBytes>
class BinaryFuse final : public TableFilter {
 public:
  BinaryFuse(const char* arrays, const char* seeds, uint32_t shard_count, Geometry geometry)
      : arrays_(arrays), seeds_(seeds), shard_count_(shard_count), geometry_(geometry) {}

  bool MayMatch(uint64_t hash) const override {
    if (shard_count_ == 0) return true;
    uint64_t mixed = 0, places[kPlaces];
    const char* const array = Find(hash, &mixed, places);
    uint32_t value = Fingerprint<kBytes>(mixed);
    for (const uint64_t place : places) value ^= Load<kBytes>(array, place);
    return value == 0;
  }
  void Prefetch(uint64_t hash) const override {
    if (shard_count_ == 0) return;
    uint64_t mixed = 0, places[kPlaces];
    const char* const array = Find(hash, &mixed, places);
    for (const uint64_t place : places) __builtin_prefetch(array + kBytes * place);
  }

 private:
  // Returns the array of the hash's shard, and sets the hash's places there.
  const char* Find(uint64_t hash, uint64_t* mixed, uint64_t* places) const {
    const uint64_t shard = Scale(hash, shard_count_);
    *mixed = MixHash(hash, static_cast<unsigned char>(seeds_[shard]));
    geometry_.Places(*mixed, places);
    return arrays_ + shard * geometry_.place_count() * kBytes;
  }

  const char* arrays_;
  const char* seeds_;
  uint64_t shard_count_;
  Geometry geometry_;
};

// Builds the arrays of shards that have the same geometry.
template <size_t kBytes>
class ShardBuilder {
 public:
  explicit ShardBuilder(const Geometry& geometry)
      : geometry_(geometry), cells_(geometry.place_count()) {}

  // Writes the array of these hashes to `array`, which must be zeros. Returns false if this seed
  // does not work. No seed works for two equal hashes.
  bool TryBuild(absl::Span<const uint64_t> hashes, int seed, char* array) {
    std::fill(cells_.begin(), cells_.end(), Cell());
    uint64_t places[kPlaces];
    for (const uint64_t hash : hashes) {
      const uint64_t mixed = MixHash(hash, seed);
      geometry_.Places(mixed, places);
      for (const uint64_t place : places) {
        cells_[place].hashes ^= mixed;
        ++cells_[place].count;
      }
    }
    if (!Peel(hashes.size())) return false;
    // In reverse order, each key sets the place that it alone had when it was peeled.
    for (size_t i = order_.size(); i-- > 0;) {
      geometry_.Places(order_[i].mixed, places);
      uint32_t value = Fingerprint<kBytes>(order_[i].mixed);
      for (const uint64_t place : places) value ^= Load<kBytes>(array, place);
      Store<kBytes>(array, order_[i].place, value);
    }
    return true;
  }

 private:
  struct Cell {
    uint64_t hashes = 0;  // XOR of the mixed hashes of the keys that have a place here
    uint32_t count = 0;   // how many keys have a place here
  };
  struct Taken {
    uint64_t mixed;
    uint32_t place;
  };

  // Removes keys that are alone at one of their places, until there are none. Returns true if all
  // keys were removed.
  bool Peel(size_t key_count) {
    order_.clear();
    alone_.clear();
    for (size_t i = 0; i < cells_.size(); ++i) {
      if (cells_[i].count == 1) alone_.push_back(static_cast<uint32_t>(i));
    }
    uint64_t places[kPlaces];
    while (!alone_.empty()) {
      const uint32_t at = alone_.back();
      alone_.pop_back();
      if (cells_[at].count != 1) continue;
      const uint64_t mixed = cells_[at].hashes;
      order_.push_back({mixed, at});
      geometry_.Places(mixed, places);
      for (const uint64_t place : places) {
        cells_[place].hashes ^= mixed;
        if (--cells_[place].count == 1) alone_.push_back(static_cast<uint32_t>(place));
      }
    }
    return order_.size() == key_count;
  }

  const Geometry geometry_;
  std::vector<Cell> cells_;
  std::vector<Taken> order_;
  std::vector<uint32_t> alone_;
};

// Groups the hashes by shard, in place, and returns where each shard ends.
std::vector<size_t> GroupByShard(absl::Span<uint64_t> hashes, uint64_t shard_count) {
  std::vector<size_t> ends(shard_count);
  for (const uint64_t hash : hashes) ++ends[Scale(hash, shard_count)];
  std::vector<size_t> next(shard_count);
  size_t end = 0;
  for (uint64_t shard = 0; shard < shard_count; ++shard) {
    next[shard] = end;
    end = ends[shard] += end;
  }
  for (uint64_t shard = 0; shard < shard_count; ++shard) {
    while (next[shard] < ends[shard]) {
      uint64_t& hash = hashes[next[shard]];
      const uint64_t home = Scale(hash, shard_count);
      if (home == shard) {
        ++next[shard];
      } else {
        std::swap(hash, hashes[next[home]++]);
      }
    }
  }
  return ends;
}

// Returns the geometry of an array for `key_count` keys, with `spare` times as many places as
// nearly every seed needs.
Geometry GeometryFor(size_t key_count, double spare) {
  const double n = static_cast<double>(std::max<size_t>(key_count, 2));
  const double places =
      spare * n * std::max(1.075, 0.77 + 0.305 * std::log(600000.0) / std::log(n));
  Geometry geometry;
  geometry.segment_lg =
      std::clamp(static_cast<int>(std::log(n) / std::log(2.91) - 0.5), 2, kMaxSegmentLg);
  const double segments = std::ceil(places / static_cast<double>(1 << geometry.segment_lg));
  geometry.segment_count =
      static_cast<uint32_t>(std::max(1.0, segments - static_cast<double>(kPlaces - 1)));
  return geometry;
}

// Appends the arrays and seeds of all shards to `*dst`. If no seed works for a shard, returns false
// and leaves `*dst` unchanged.
template <size_t kBytes>
bool AppendShards(absl::Span<uint64_t> hashes, const std::vector<size_t>& ends,
                  const Geometry& geometry, std::string* dst) {
  const size_t start = dst->size();
  const size_t array_size = geometry.place_count() * kBytes;
  dst->reserve(start + ends.size() * (array_size + 1) + kTailSize);  // for the tail, too
  dst->resize(start + ends.size() * array_size, '\0');
  ShardBuilder<kBytes> builder(geometry);
  std::string seeds;
  size_t first = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    absl::Span<uint64_t> shard = hashes.subspan(first, ends[i] - first);
    int seed = 0;
    while (!builder.TryBuild(shard, seed, &(*dst)[start + i * array_size])) {
      if (seed == 0) {  // some hashes may be equal
        std::sort(shard.begin(), shard.end());
        shard = shard.subspan(
            0, static_cast<size_t>(std::unique(shard.begin(), shard.end()) - shard.begin()));
      }
      if (++seed == kSeeds) {
        dst->resize(start);
        return false;
      }
    }
    seeds.push_back(static_cast<char>(seed));
    first = ends[i];
  }
  *dst += seeds;
  return true;
}

template <size_t kBytes>
class BinaryFusePolicy final : public TableFilterPolicy {
 public:
  absl::string_view Name() const override { return kBytes == 1 ? "BinaryFuse8" : "BinaryFuse16"; }

  void CreateFilter(absl::Span<uint64_t> hashes, std::string* dst) const override {
    const uint64_t shard_count =
        std::max<uint64_t>(1, (hashes.size() + kShardKeys - 1) / kShardKeys);
    const std::vector<size_t> ends = GroupByShard(hashes, shard_count);
    size_t largest = 0;
    for (size_t i = 0; i < ends.size(); ++i) {
      largest = std::max(largest, ends[i] - (i == 0 ? 0 : ends[i - 1]));
    }
    for (int eighths = 8; eighths < 16; ++eighths) {
      const Geometry geometry = GeometryFor(largest, eighths / 8.0);
      if (!AppendShards<kBytes>(hashes, ends, geometry, dst)) continue;
      return AppendTail(static_cast<uint32_t>(shard_count), geometry, dst);
    }
    AppendTail(0, Geometry(), dst);  // no seed works, so the hashes were chosen by an attacker
  }

  absl::StatusOr<std::unique_ptr<const TableFilter>> Parse(
      absl::string_view contents) const override {
    if (contents.size() < kTailSize) {
      return absl::DataLossError(absl::StrCat("binary fuse filter has ", contents.size(),
                                              " bytes, needs at least ", kTailSize));
    }
    const size_t size = contents.size() - kTailSize;
    const char* const tail = contents.data() + size;
    const uint32_t shard_count = DecodeFixed32(tail);
    Geometry geometry;
    geometry.segment_count = DecodeFixed32(tail + 4);
    geometry.segment_lg = static_cast<unsigned char>(tail[8]);
    if (geometry.segment_lg > kMaxSegmentLg || geometry.segment_count == 0) {
      return absl::DataLossError(absl::StrCat(
          "binary fuse filter has ", geometry.segment_count, " segments of 2^", geometry.segment_lg,
          " places, expected at least 1 of at most 2^", kMaxSegmentLg));
    }
    const uint64_t shard_size = geometry.place_count() * kBytes + 1;
    if (size % shard_size != 0 || size / shard_size != shard_count) {
      return absl::DataLossError(absl::StrCat("binary fuse filter has ", size, " bytes for ",
                                              shard_count, " shards of ", shard_size));
    }
    return std::make_unique<const BinaryFuse<kBytes>>(contents.data(), tail - shard_count,
                                                      shard_count, geometry);
  }

 private:
  static void AppendTail(uint32_t shard_count, const Geometry& geometry, std::string* dst) {
    AppendFixed32(dst, shard_count);
    AppendFixed32(dst, geometry.segment_count);
    dst->push_back(static_cast<char>(geometry.segment_lg));
  }
};

}  // namespace

std::unique_ptr<const TableFilterPolicy> NewBinaryFusePolicy(FuseBits bits) {
  if (bits == FuseBits::k8) return std::make_unique<BinaryFusePolicy<1>>();
  return std::make_unique<BinaryFusePolicy<2>>();
}

}  // namespace sstable
