// A filter policy that is not a Bloom filter, and whose answers a test can predict.
#ifndef SSTABLE_TESTS_SUPPORT_EXACT_FILTER_POLICY_H_
#define SSTABLE_TESTS_SUPPORT_EXACT_FILTER_POLICY_H_

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/filter_policy.h"
#include "util/coding.h"

namespace sstable::test {

// Its filters are lists of the keys. Its only false positives are keys that begin with "maybe".
class ExactFilterPolicy final : public FilterPolicy {
 public:
  explicit ExactFilterPolicy(std::string name = "test.ExactFilter") : name_(std::move(name)) {}

  absl::string_view Name() const override { return name_; }

  void CreateFilter(absl::Span<const absl::string_view> keys, std::string* dst) const override {
    for (absl::string_view key : keys) {
      AppendVarint64(dst, key.size());
      dst->append(key.data(), key.size());
    }
  }

  bool KeyMayMatch(absl::string_view key, absl::string_view filter) const override {
    if (absl::StartsWith(key, "maybe")) return true;
    uint64_t size;
    while (ConsumeVarint64(&filter, &size)) {
      if (size > filter.size()) return true;
      if (filter.substr(0, size) == key) return true;
      filter.remove_prefix(size);
    }
    return !filter.empty();
  }

 private:
  std::string name_;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_EXACT_FILTER_POLICY_H_
