// Measures the memory for building a whole-table filter, besides its keys' hashes.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "tests/support/allocations.h"
#include "tests/support/random_bytes.h"

namespace sstable {
namespace {

struct PolicyCase {
  const char* name;
  std::unique_ptr<const TableFilterPolicy> (*make)();
};
class TableFilterMemoryTest : public testing::TestWithParam<PolicyCase> {};

// Appending a few bytes to the finished filter could reallocate it at twice its size.
TEST_P(TableFilterMemoryTest, TheFilterIsInOnePlaceFromTheStart) {
  constexpr size_t kKeys = 1000000;
  test::Rng rng(20261123);
  std::vector<uint64_t> hashes(kKeys);
  for (uint64_t& hash : hashes) hash = rng();
  const auto policy = GetParam().make();
  std::string filter;
  const test::AllocationCounter allocations;
  policy->CreateFilter(absl::MakeSpan(hashes), &filter);
  const size_t shard_size = size_t{6} << 20;  // the maximum of a binary fuse filter
  EXPECT_GT(filter.size(), kKeys);
  EXPECT_LE(allocations.largest(), std::max(filter.size() + 64, shard_size));
  EXPECT_LE(filter.capacity(), filter.size() + 64);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, TableFilterMemoryTest,
    testing::ValuesIn<PolicyCase>({{"Blocked", [] { return NewBlockedBloomPolicy(10); }},
                                   {"Fuse8", [] { return NewBinaryFusePolicy(FuseBits::k8); }},
                                   {"Fuse16", [] { return NewBinaryFusePolicy(FuseBits::k16); }}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable
