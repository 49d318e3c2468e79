// From the name of a filter in a file to the policy that can ask it.
#ifndef SSTABLE_FILTER_FILTER_POLICY_REGISTRY_H_
#define SSTABLE_FILTER_FILTER_POLICY_REGISTRY_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "filter/filter_policy.h"

namespace sstable {

// The policy whose Name() is `name` (so without "filter."): one of `user_policies`, else one of
// the three built in, which live forever, else nullptr.
//
// | name                        | hash of a key's tail bytes               |
// |-----------------------------|------------------------------------------|
// | leveldb.BuiltinBloomFilter2 | unsigned                                 |
// | leveldb.BuiltinBloomFilter  | may match if the unsigned or the signed does |
// | rocksdb.BuiltinBloomFilter  | signed                                   |
const FilterPolicy* FindFilterPolicy(absl::string_view name,
                                     absl::Span<const FilterPolicy* const> user_policies = {});

}  // namespace sstable

#endif  // SSTABLE_FILTER_FILTER_POLICY_REGISTRY_H_
