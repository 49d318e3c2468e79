// Filter policies for tests.
#ifndef SSTABLE_TESTS_SUPPORT_TEST_POLICIES_H_
#define SSTABLE_TESTS_SUPPORT_TEST_POLICIES_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/filter_policy.h"
#include "util/coding.h"

namespace sstable::test {

// Its filters contain all keys, so its answers are exact. Not a Bloom filter. Format: (fixed32 size
// ++ key) for each key.
class WholeKeysPolicy final : public FilterPolicy {
 public:
  absl::string_view Name() const override { return "test.WholeKeys"; }

  void CreateFilter(absl::Span<const absl::string_view> keys, std::string* dst) const override {
    for (absl::string_view key : keys) {
      AppendFixed32(dst, static_cast<uint32_t>(key.size()));
      dst->append(key.data(), key.size());
    }
  }

  bool KeyMayMatch(absl::string_view key, absl::string_view filter) const override {
    while (!filter.empty()) {
      if (filter.size() < 4) return true;
      const uint32_t size = DecodeFixed32(filter.data());
      filter.remove_prefix(4);
      if (size > filter.size()) return true;
      if (filter.substr(0, size) == key) return true;
      filter.remove_prefix(size);
    }
    return false;
  }
};

// Wraps a policy so that it is not recognized as a Bloom filter, and builders and readers must call
// its methods.
class WithoutTraits final : public FilterPolicy {
 public:
  explicit WithoutTraits(const FilterPolicy* policy) : policy_(policy) {}

  absl::string_view Name() const override { return policy_->Name(); }
  void CreateFilter(absl::Span<const absl::string_view> keys, std::string* dst) const override {
    policy_->CreateFilter(keys, dst);
  }
  bool KeyMayMatch(absl::string_view key, absl::string_view filter) const override {
    return policy_->KeyMayMatch(key, filter);
  }

 private:
  const FilterPolicy* policy_;
};

// Returns the filter that `policy` makes of these keys.
inline std::string MakeFilter(const FilterPolicy& policy,
                              absl::Span<const absl::string_view> keys) {
  std::string filter;
  policy.CreateFilter(keys, &filter);
  return filter;
}

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_TEST_POLICIES_H_
