#include <array>
#include <memory>

#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"

namespace sstable {
namespace {

using BuiltinPolicies = std::array<std::unique_ptr<const FilterPolicy>, 3>;

const BuiltinPolicies& Builtin() {
  // Bits per key matter only when building a filter.
  static const auto* policies = new BuiltinPolicies{
      NewBloomFilterPolicy(10, BloomName::kLevelDb),
      NewBloomFilterPolicy(10, BloomName::kLevelDbOld),
      NewBloomFilterPolicy(10, BloomName::kRocksDb),
  };
  return *policies;
}

using BuiltinTablePolicies = std::array<std::unique_ptr<const TableFilterPolicy>, 3>;

const BuiltinTablePolicies& BuiltinForTables() {
  static const auto* policies = new BuiltinTablePolicies{
      NewBlockedBloomPolicy(10),
      NewBinaryFusePolicy(FuseBits::k8),
      NewBinaryFusePolicy(FuseBits::k16),
  };
  return *policies;
}

// Finds the policy in `user_policies` or, failing that, in `builtin`. Returns nullptr if neither
// has it.
template <typename Policy, typename BuiltinArray>
const Policy* Find(absl::string_view name, absl::Span<const Policy* const> user_policies,
                   const BuiltinArray& builtin) {
  for (const Policy* policy : user_policies) {
    if (policy->Name() == name) return policy;
  }
  for (const auto& policy : builtin) {
    if (policy->Name() == name) return policy.get();
  }
  return nullptr;
}

}  // namespace

const FilterPolicy* FindFilterPolicy(absl::string_view name,
                                     absl::Span<const FilterPolicy* const> user_policies) {
  return Find(name, user_policies, Builtin());
}

const TableFilterPolicy* FindTableFilterPolicy(
    absl::string_view name, absl::Span<const TableFilterPolicy* const> user_policies) {
  return Find(name, user_policies, BuiltinForTables());
}

}  // namespace sstable
