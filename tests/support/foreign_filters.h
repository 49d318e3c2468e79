// Filters as other programs write them: in LevelDB's layout and under a known name, but with
// another hash.
#ifndef SSTABLE_TESTS_SUPPORT_FOREIGN_FILTERS_H_
#define SSTABLE_TESTS_SUPPORT_FOREIGN_FILTERS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"

namespace sstable::test {

using ForeignHash = uint32_t (*)(absl::string_view key);

class ForeignBloom final : public FilterPolicy {
 public:
  ForeignBloom(std::string name, ForeignHash hash, int bits_per_key)
      : name_(std::move(name)), hash_(hash), bits_per_key_(bits_per_key) {}

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

// A filter for whole tables under the name of `policy`, but with other hashes.
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
