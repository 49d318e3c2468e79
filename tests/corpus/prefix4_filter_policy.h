// The filter policy of the corpus' custom-filter-policy.ldb, inferred from its bytes.
#ifndef SSTABLE_TESTS_CORPUS_PREFIX4_FILTER_POLICY_H_
#define SSTABLE_TESTS_CORPUS_PREFIX4_FILTER_POLICY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/filter_policy.h"

namespace sstable::test {

// A filter lists the first 4 bytes of each key, or all of a shorter key, without repetition.
// Format: (u8 size of at most 4, that many bytes)*
class Prefix4FilterPolicy final : public FilterPolicy {
 public:
  absl::string_view Name() const override { return "example.Prefix4Filter"; }
  void CreateFilter(absl::Span<const absl::string_view> keys, std::string* dst) const override;
  bool KeyMayMatch(absl::string_view key, absl::string_view filter) const override;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_CORPUS_PREFIX4_FILTER_POLICY_H_
