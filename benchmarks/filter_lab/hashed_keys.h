// Keys with their hashes, and table filters prepared for lookups.
#ifndef SSTABLE_BENCHMARKS_FILTER_LAB_HASHED_KEYS_H_
#define SSTABLE_BENCHMARKS_FILTER_LAB_HASHED_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmarks/require.h"
#include "benchmarks/workload.h"
#include "filter/bloom.h"
#include "filter/bloom_kernels.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"

namespace sstable::bench {

struct HashedKey {
  explicit HashedKey(absl::string_view key)
      : xxh3(TableFilterHash(key)), leveldb(BloomKeyHash(key)) {}

  uint64_t xxh3;
  uint32_t leveldb;
};

// Random keys of 16 bytes.
inline std::vector<HashedKey> HashedRandomKeys(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<HashedKey> keys;
  keys.reserve(count);
  for (size_t i = 0; i < count; ++i) keys.emplace_back(RandomKey(&random));
  return keys;
}

// A filter built by one of the library's policies.
class MadeTableFilter {
 public:
  MadeTableFilter(const TableFilterPolicy& policy, absl::Span<const HashedKey> keys) {
    std::vector<uint64_t> hashes;
    for (const HashedKey& key : keys) hashes.push_back(key.xxh3);
    std::string bytes;
    policy.CreateFilter(absl::MakeSpan(hashes), &bytes);
    size_ = bytes.size();
    lines_.resize((size_ + sizeof(Line) - 1) / sizeof(Line));
    std::memcpy(lines_.data(), bytes.data(), size_);
    filter_ = ValueOrFail(policy.Parse(contents()));
  }

  absl::string_view contents() const {
    return {reinterpret_cast<const char*>(lines_.data()), size_};
  }
  bool MayMatch(uint64_t hash) const { return filter_->MayMatch(hash); }

 private:
  struct alignas(64) Line {  // aligned as in TableReader
    char bytes[64];
  };

  std::vector<Line> lines_;
  size_t size_ = 0;
  std::unique_ptr<const TableFilter> filter_;  // views the lines
};

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_LAB_HASHED_KEYS_H_
