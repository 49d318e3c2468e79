#include "benchmarks/filter_lab/rate_experiments.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/types/span.h"
#include "benchmarks/filter_lab/hashed_keys.h"
#include "benchmarks/filter_lab/lab_filter.h"
#include "benchmarks/filter_lab/theory.h"
#include "benchmarks/workload.h"
#include "filter/bloom.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"

namespace sstable::bench {
namespace {

constexpr size_t kLargeFilter = 100'000;  // keys
constexpr size_t kBlockKeys = 35;         // in a data block: 16 + 100 bytes each
constexpr int kUsualBitsPerKey = 10;

// Returns the keys that all experiments share.
const std::vector<HashedKey>& PresentKeys() {
  static const auto* const keys = new std::vector<HashedKey>(HashedRandomKeys(1'000'000, 401));
  return *keys;
}
const std::vector<HashedKey>& AbsentKeys() {
  static const auto* const keys = new std::vector<HashedKey>(HashedRandomKeys(4'000'000, 402));
  return *keys;
}

RotatedProbes LevelDbProbes(const HashedKey& key) { return {key.leveldb}; }
RotatedProbes RotatedXxh3Probes(const HashedKey& key) { return {static_cast<uint32_t>(key.xxh3)}; }
DoubleProbes TwoHashProbes(const HashedKey& key) { return {key.xxh3}; }

IndependentProbes ManyHashProbes(const HashedKey& key) {
  return {{reinterpret_cast<const char*>(&key.xxh3), sizeof(key.xxh3)}};
}

// Returns how many filters of this many keys an experiment makes.
size_t FilterCount(size_t keys_per_filter) {
  return std::max<size_t>(1, kLargeFilter / keys_per_filter);
}

// Calls `make` with the keys of each filter. It returns a function that says whether an absent key
// passes. Tests each filter with its share of `absent`.
template <typename Make>
Passed Ask(size_t keys_per_filter, absl::Span<const HashedKey> absent, Make make) {
  const size_t filters = FilterCount(keys_per_filter);
  const size_t share = absent.size() / filters;
  Passed passed;
  for (size_t i = 0; i < filters; ++i) {
    const auto keys = absl::MakeConstSpan(PresentKeys()).subspan(i * keys_per_filter);
    const auto passes = make(keys.first(keys_per_filter));
    for (const HashedKey& key : absent.subspan(i * share, share)) passed.Add(passes(key));
  }
  return passed;
}

// Tests Bloom filters of this size with the probes that `probes_of` returns for a key.
template <typename ProbesOf>
Passed AskBloom(const FilterSize& size, absl::Span<const HashedKey> absent, ProbesOf probes_of) {
  return Ask(size.keys, absent, [&](absl::Span<const HashedKey> keys) {
    LabFilter filter(size.bits, size.probes);
    for (const HashedKey& key : keys) filter.Add(probes_of(key));
    return [filter = std::move(filter), &probes_of](const HashedKey& key) {
      return filter.MayContain(probes_of(key));
    };
  });
}

// Returns a point that has no series and x yet.
Point AskTableFilter(const TableFilterPolicy& policy, size_t keys_per_filter,
                     absl::Span<const HashedKey> absent) {
  size_t bytes = 0;
  Point point;
  point.measured = Ask(keys_per_filter, absent, [&](absl::Span<const HashedKey> keys) {
    auto filter = std::make_shared<const MadeTableFilter>(policy, keys);
    bytes += filter->contents().size();
    return [filter](const HashedKey& key) { return filter->MayMatch(key.xxh3); };
  });
  point.bits_per_key = 8.0 * static_cast<double>(bytes) /
                       static_cast<double>(keys_per_filter * FilterCount(keys_per_filter));
  return point;
}

FilterSize BloomSize(size_t keys, int bits_per_key) {
  const uint64_t bits = std::max<uint64_t>(64, keys * static_cast<uint64_t>(bits_per_key));
  return {keys, (bits + 7) / 8 * 8, BloomProbeCount(bits_per_key)};
}

double IdealRate(const FilterSize& size) {  // differs by 0.1 % of the rate at 1000 keys
  return size.keys <= 1000 ? ExactBloomRate(size) : BloomRate(size);
}

Point BlockedPoint(int bits_per_key, size_t keys, absl::Span<const HashedKey> absent) {
  const auto policy = NewBlockedBloomPolicy(bits_per_key);
  const MadeTableFilter filter(*policy, absl::MakeConstSpan(PresentKeys()).first(keys));
  const int probes = static_cast<unsigned char>(filter.contents().back());
  Point point = AskTableFilter(*policy, keys, absent);
  point.theory = BlockedBloomRate(keys, filter.contents().size() / 64, probes);
  return point;
}

Point FusePoint(FuseBits bits, size_t keys, absl::Span<const HashedKey> absent) {
  Point point = AskTableFilter(*NewBinaryFusePolicy(bits), keys, absent);
  point.theory = bits == FuseBits::k8 ? 1.0 / 256 : 1.0 / 65536;
  return point;
}

Point Named(std::string series, double x, Point point) {
  point.series = std::move(series);
  point.x = x;
  return point;
}

Passed AskIndependent(const FilterSize& size) {
  Random random(403);
  LabFilter filter(size.bits, size.probes);
  for (uint64_t i = 0; i < size.keys; ++i) filter.Add(IndependentProbes{RandomKey(&random)});
  Passed passed;
  for (int i = 0; i < 1'000'000; ++i) {
    passed.Add(filter.MayContain(IndependentProbes{RandomKey(&random)}));
  }
  return passed;
}

}  // namespace

std::vector<Point> CompareProbes() {
  std::vector<Point> points;
  const auto absent = absl::MakeConstSpan(AbsentKeys()).first(1'000'000);
  for (const int bits : {8, 10, 12, 16, 20}) {
    const FilterSize size = BloomSize(kLargeFilter, bits);
    const double theory = IdealRate(size);
    points.push_back({"k hashes", double(bits), AskIndependent(size), theory, {}});
    points.push_back(
        {"two hashes", double(bits), AskBloom(size, absent, TwoHashProbes), theory, {}});
    points.push_back({"one hash, rotated (XXH3)",
                      double(bits),
                      AskBloom(size, absent, RotatedXxh3Probes),
                      theory,
                      {}});
    points.push_back({"one hash, rotated (LevelDB)",
                      double(bits),
                      AskBloom(size, absent, LevelDbProbes),
                      theory,
                      {}});
  }
  return points;
}

std::vector<Point> VaryBitsPerKey() {
  std::vector<Point> points;
  const absl::Span<const HashedKey> absent = AbsentKeys();
  for (int bits = 4; bits <= 24; bits += 2) {
    const FilterSize block = BloomSize(kBlockKeys, bits);
    const FilterSize table = BloomSize(kLargeFilter, bits);
    points.push_back({"LevelDB, data block",
                      double(bits),
                      AskBloom(block, absent, LevelDbProbes),
                      IdealRate(block),
                      {}});
    points.push_back({"LevelDB, table",
                      double(bits),
                      AskBloom(table, absent, LevelDbProbes),
                      IdealRate(table),
                      {}});
    points.push_back({"two hashes, table",
                      double(bits),
                      AskBloom(table, absent, TwoHashProbes),
                      IdealRate(table),
                      {}});
    points.push_back(Named("blocked, table", bits, BlockedPoint(bits, kLargeFilter, absent)));
  }
  for (const FuseBits bits : {FuseBits::k8, FuseBits::k16}) {
    const Point point = FusePoint(bits, kLargeFilter, absent);
    points.push_back(Named("binary fuse, table", *point.bits_per_key, point));
  }
  return points;
}

std::vector<Point> VaryFilterSize() {
  std::vector<Point> points;
  const auto absent = absl::MakeConstSpan(AbsentKeys()).first(2'000'000);
  for (const size_t keys :
       {10, 20, 35, 70, 140, 300, 1000, 3000, 10'000, 30'000, 100'000, 1'000'000}) {
    const FilterSize size = BloomSize(keys, kUsualBitsPerKey);
    const double x = static_cast<double>(keys);
    const double bits_per_key = static_cast<double>(size.bits) / x;
    const double theory = IdealRate(size);
    points.push_back({"LevelDB", x, AskBloom(size, absent, LevelDbProbes), theory, bits_per_key});
    points.push_back(
        {"two hashes", x, AskBloom(size, absent, TwoHashProbes), theory, bits_per_key});
    points.push_back({"k hashes", x, AskBloom(size, absent, ManyHashProbes), theory, bits_per_key});
    points.push_back(Named("blocked", x, BlockedPoint(kUsualBitsPerKey, keys, absent)));
    points.push_back(Named("binary fuse 8", x, FusePoint(FuseBits::k8, keys, absent)));
  }
  return points;
}

std::vector<Point> CountUp() {
  constexpr int kFilters = 500;
  std::vector<Point> points;
  for (size_t keys = 10; keys <= 100; ++keys) {
    const FilterSize size = BloomSize(keys, kUsualBitsPerKey);
    Passed leveldb;
    Passed xxh3;
    uint64_t number = 0;
    for (int i = 0; i < kFilters; ++i, number += 2 * keys) {
      LabFilter leveldb_filter(size.bits, size.probes);
      LabFilter xxh3_filter(size.bits, size.probes);
      for (size_t j = 0; j < keys; ++j) {
        const HashedKey key(MakeKey(KeyShape::kDecimal, number + 2 * j));
        leveldb_filter.Add(LevelDbProbes(key));
        xxh3_filter.Add(TwoHashProbes(key));
      }
      for (size_t j = 0; j < keys; ++j) {
        const HashedKey key(MakeKey(KeyShape::kDecimal, number + 2 * j + 1));
        leveldb.Add(leveldb_filter.MayContain(LevelDbProbes(key)));
        xxh3.Add(xxh3_filter.MayContain(TwoHashProbes(key)));
      }
    }
    const double theory = IdealRate(size);
    points.push_back({"LevelDB's hash", static_cast<double>(keys), leveldb, theory, {}});
    points.push_back({"XXH3", static_cast<double>(keys), xxh3, theory, {}});
  }
  return points;
}

}  // namespace sstable::bench
