#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "filter/bloom.h"
#include "gtest/gtest.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "tests/support/test_policies.h"

namespace sstable::test {
namespace {

std::string InternalKey(absl::string_view user_key, uint64_t sequence) {
  return MakeInternalKey(user_key, sequence, ValueType::kValue);
}

TEST(InternalFilterPolicyTest, HasTheUserPolicysName) {
  const WholeKeysPolicy whole_keys;
  EXPECT_EQ(InternalFilterPolicy(&whole_keys).Name(), "test.WholeKeys");
  const auto bloom = NewBloomFilterPolicy(10);
  EXPECT_EQ(InternalFilterPolicy(bloom.get()).Name(), "leveldb.BuiltinBloomFilter2");
}

TEST(InternalFilterPolicyTest, MakesFiltersOfUserKeysAndKeepsRepeatedOnes) {
  const std::string a3 = InternalKey("a", 3), a2 = InternalKey("a", 2), empty = InternalKey("", 1);
  const WholeKeysPolicy whole_keys;
  EXPECT_EQ(MakeFilter(InternalFilterPolicy(&whole_keys), {empty, a3, a2}),
            MakeFilter(whole_keys, {"", "a", "a"}));
  const auto bloom = NewBloomFilterPolicy(10);
  EXPECT_EQ(MakeFilter(InternalFilterPolicy(bloom.get()), {empty, a3, a2}),
            MakeFilter(*bloom, {"", "a", "a"}));
}

TEST(InternalFilterPolicyTest, IsNoBloomFilterOverAPolicyThatIsNone) {
  const WholeKeysPolicy whole_keys;
  EXPECT_FALSE(BloomTraitsOf(InternalFilterPolicy(&whole_keys)).has_value());
}

class InternalBloomTest : public testing::TestWithParam<BloomName> {
 protected:
  const std::unique_ptr<const FilterPolicy> user_policy_ = NewBloomFilterPolicy(13, GetParam());
  const InternalFilterPolicy policy_{user_policy_.get()};
};

INSTANTIATE_TEST_SUITE_P(Names, InternalBloomTest,
                         testing::Values(BloomName::kLevelDb, BloomName::kLevelDbOld,
                                         BloomName::kRocksDb));

TEST_P(InternalBloomTest, HasTheUserPolicysTraitsAndIgnoresTheTag) {
  ASSERT_TRUE(BloomTraitsOf(policy_).has_value());
  EXPECT_EQ(BloomTraitsOf(policy_)->bits_per_key, 13);
  EXPECT_EQ(BloomTraitsOf(policy_)->hash, BloomTraitsOf(*user_policy_)->hash);
  EXPECT_EQ(BloomTraitsOf(policy_)->ignored_suffix_size, 8);
  EXPECT_EQ(BloomTraitsOf(*user_policy_)->ignored_suffix_size, 0);
}

TEST_P(InternalBloomTest, ItsTraitsAgreeWithItsMethodsForEverySize) {
  // Includes keys too short for a tag, which a damaged table may have.
  for (size_t size = 0; size <= 24; ++size) {
    const std::string key(size, '\xc3');
    std::string by_traits;
    AppendBloomFilter({BloomCreationHash(*BloomTraitsOf(policy_), key)}, *BloomTraitsOf(policy_),
                      &by_traits);
    EXPECT_EQ(MakeFilter(policy_, {key}), by_traits) << size;
    const std::string others[] = {"", "x", key, std::string(size / 2, '\xc3')};
    for (const std::string& other : others) {
      const std::string filter = MakeFilter(*user_policy_, {other});
      EXPECT_EQ(policy_.KeyMayMatch(key, filter),
                BloomMayContainKey(*BloomTraitsOf(policy_), key, filter))
          << size << " " << other.size();
    }
  }
}

}  // namespace
}  // namespace sstable::test
