#include <array>
#include <memory>

#include "sstable/bloom_filter_policy.h"
#include "sstable/filter_policy.h"

namespace sstable {
namespace {

using BuiltinPolicies = std::array<std::unique_ptr<const FilterPolicy>, 3>;

const BuiltinPolicies& Builtin() {
  // The bits per key only matter when a filter is made.
  static const auto* policies = new BuiltinPolicies{
      NewBloomFilterPolicy(10, BloomName::kLevelDb),
      NewBloomFilterPolicy(10, BloomName::kLevelDbOld),
      NewBloomFilterPolicy(10, BloomName::kRocksDb),
  };
  return *policies;
}

}  // namespace

const FilterPolicy* FindFilterPolicy(absl::string_view name,
                                     absl::Span<const FilterPolicy* const> user_policies) {
  for (const FilterPolicy* policy : user_policies) {
    if (policy->Name() == name) return policy;
  }
  for (const auto& policy : Builtin()) {
    if (policy->Name() == name) return policy.get();
  }
  return nullptr;
}

}  // namespace sstable
