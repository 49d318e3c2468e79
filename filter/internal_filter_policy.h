// A filter policy for tables of internal keys: filters are made of user keys.
#ifndef SSTABLE_FILTER_INTERNAL_FILTER_POLICY_H_
#define SSTABLE_FILTER_INTERNAL_FILTER_POLICY_H_

#include <optional>
#include <string>

#include "filter/filter_policy.h"

namespace sstable {

// Strips the 8-byte tag (see util/internal_key.h) of every key and leaves the rest to another
// policy. It has that policy's name: nothing in a file tells whether its keys are internal. For
// those who use filter blocks alone: TableBuilder and TableReader put it around the policies in
// their options by themselves where the key kind is internal.
// Lifetime: borrows `user_policy`, which must outlive it.
class InternalFilterPolicy final : public FilterPolicy {
 public:
  explicit InternalFilterPolicy(const FilterPolicy* user_policy);

  absl::string_view Name() const override { return user_policy_->Name(); }
  void CreateFilter(absl::Span<const absl::string_view> keys, std::string* dst) const override;
  bool KeyMayMatch(absl::string_view key, absl::string_view filter) const override;
  const BloomTraits* bloom() const override { return bloom_ ? &*bloom_ : nullptr; }

 private:
  const FilterPolicy* user_policy_;
  std::optional<BloomTraits> bloom_;
};

}  // namespace sstable

#endif  // SSTABLE_FILTER_INTERNAL_FILTER_POLICY_H_
