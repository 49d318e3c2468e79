// Filters as other programs write them: in LevelDB's layout and under a known name, but made with
// another hash.
#ifndef SSTABLE_TESTS_SUPPORT_FOREIGN_FILTERS_H_
#define SSTABLE_TESTS_SUPPORT_FOREIGN_FILTERS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "table/inspect/murmur3.h"
#include "tests/support/random_bytes.h"
#include "tests/support/table_bytes.h"
#include "util/crc32c.h"
#include "util/hash.h"

namespace sstable::test {

using ForeignHash = uint32_t (*)(absl::string_view key);

inline uint32_t StarRocksHash(absl::string_view key) { return Murmur3(key, 0xbc9f1d34); }
inline uint32_t CrcHash(absl::string_view key) { return Crc32c(key); }
inline uint32_t OtherSeedHash(absl::string_view key) { return Hash(key, 0x12345678); }
inline uint32_t FnvHash(absl::string_view key) {
  uint32_t hash = 0x811c9dc5;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return hash;
}
inline uint32_t XxHash(absl::string_view key) {
  return static_cast<uint32_t>(TableFilterHash(key));
}
// LevelDB's hash of a key without its last 8 bytes: of an internal key that was taken for a plain
// one, or vice versa.
inline uint32_t WithoutTagHash(absl::string_view key) {
  return Hash(key.substr(0, key.size() - 8), 0xbc9f1d34);
}

// Tests make a table for each combination of hash, bits per key and number of keys.
struct ForeignHashCase {
  const char* name;
  ForeignHash hash;
  BloomName bloom = BloomName::kLevelDb;
};
inline constexpr ForeignHashCase kForeignHashes[] = {
    {"Murmur3", StarRocksHash},
    {"Crc32c", CrcHash},
    {"OtherSeed", OtherSeedHash},
    {"Fnv", FnvHash, BloomName::kLevelDbOld},
    {"XxHash", XxHash, BloomName::kRocksDb},
    {"OtherKindOfKeys", WithoutTagHash},
};
inline constexpr int kForeignBits[] = {4, 6, 10, 14};
inline constexpr size_t kForeignCounts[] = {1, 2, 3, 5, 8, 13, 20, 40, 80, 300, 1000, 10000};

inline Entries RandomEntries(size_t count, Rng& rng) {
  Entries entries;
  for (size_t i = 0; i < count; ++i) {
    entries.emplace_back(absl::StrFormat("%06d%016x", i, rng()), "value");
  }
  return entries;
}

class ForeignBloom final : public FilterPolicy {
 public:
  ForeignBloom(const ForeignHashCase& hash, int bits_per_key)
      : name_(NewBloomFilterPolicy(10, hash.bloom)->Name()),
        hash_(hash.hash),
        bits_per_key_(bits_per_key) {}

  absl::string_view Name() const override { return name_; }

  void CreateFilter(absl::Span<const absl::string_view> keys, std::string* dst) const override {
    const size_t size = (std::max<size_t>(64, keys.size() * bits_per_key_) + 7) / 8;
    const int probe_count = std::max(1, bits_per_key_ * 69 / 100);
    const size_t start = dst->size();
    dst->append(size, '\0');
    for (absl::string_view key : keys) {
      uint32_t h = hash_(key);
      const uint32_t step = h >> 17 | h << 15;
      for (int i = 0; i < probe_count; ++i, h += step) {
        const size_t bit = h % (8 * size);
        (*dst)[start + bit / 8] = static_cast<char>((*dst)[start + bit / 8] | 1 << bit % 8);
      }
    }
    dst->push_back(static_cast<char>(probe_count));
  }

  bool KeyMayMatch(absl::string_view, absl::string_view) const override { return true; }

 private:
  const std::string name_;
  const ForeignHash hash_;
  const int bits_per_key_;
};

// A whole-table filter under the name of `policy`, but made with other hashes.
class ForeignTableFilter final : public TableFilterPolicy {
 public:
  explicit ForeignTableFilter(std::unique_ptr<const TableFilterPolicy> policy)
      : policy_(std::move(policy)) {}

  absl::string_view Name() const override { return policy_->Name(); }
  void CreateFilter(absl::Span<uint64_t> hashes, std::string* dst) const override {
    for (uint64_t& hash : hashes) hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9;
    policy_->CreateFilter(hashes, dst);
  }
  absl::StatusOr<std::unique_ptr<const TableFilter>> Parse(
      absl::string_view contents) const override {
    return policy_->Parse(contents);
  }

 private:
  const std::unique_ptr<const TableFilterPolicy> policy_;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_FOREIGN_FILTERS_H_
