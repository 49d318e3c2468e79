#include <string>

#include "absl/strings/string_view.h"
#include "filter/bloom.h"
#include "gtest/gtest.h"
#include "sstable/filter_policy.h"
#include "tests/support/test_policies.h"

namespace sstable {
namespace {

struct BuiltinCase {
  const char* name;
  const char* on_disk;
  BloomHash hash;
};

class BuiltinFilterPolicyTest : public testing::TestWithParam<BuiltinCase> {};

TEST_P(BuiltinFilterPolicyTest, IsFoundWithItsHashAndLivesOn) {
  const FilterPolicy* const policy = FindFilterPolicy(GetParam().on_disk);
  ASSERT_NE(policy, nullptr);
  EXPECT_EQ(policy->Name(), GetParam().on_disk);
  ASSERT_TRUE(BloomTraitsOf(*policy).has_value());
  EXPECT_EQ(BloomTraitsOf(*policy)->hash, GetParam().hash);
  EXPECT_EQ(BloomTraitsOf(*policy)->ignored_suffix_size, 0);
  EXPECT_EQ(FindFilterPolicy(GetParam().on_disk), policy);
}

INSTANTIATE_TEST_SUITE_P(Names, BuiltinFilterPolicyTest,
                         testing::ValuesIn<BuiltinCase>(
                             {{"LevelDb", "leveldb.BuiltinBloomFilter2", BloomHash::kUnsignedTail},
                              {"LevelDbOld", "leveldb.BuiltinBloomFilter", BloomHash::kEitherTail},
                              {"RocksDb", "rocksdb.BuiltinBloomFilter", BloomHash::kSignedTail}}),
                         [](const auto& info) { return info.param.name; });

TEST(FindFilterPolicyTest, FindsNothingOfAnUnknownName) {
  const test::WholeKeysPolicy user_policy;
  const FilterPolicy* const user_policies[] = {&user_policy};
  // Some of these names have other uses (RocksDB's whole-file filter, an empty filter, a metaindex
  // key). Others only begin like known names.
  for (const char* name :
       {"fullfilter.rocksdb.BuiltinBloomFilter", "_", "", "filter.leveldb.BuiltinBloomFilter2",
        "leveldb.BuiltinBloomFilter3", "leveldb.BuiltinBloomFilte", "test.WholeKeys2"}) {
    EXPECT_EQ(FindFilterPolicy(name), nullptr) << name;
    EXPECT_EQ(FindFilterPolicy(name, user_policies), nullptr) << name;
  }
}

TEST(FindFilterPolicyTest, FindsAUserPolicyAmongOthers) {
  const test::WholeKeysPolicy user_policy;
  const auto bloom = NewBloomFilterPolicy(5, BloomName::kRocksDb);
  const FilterPolicy* const user_policies[] = {bloom.get(), &user_policy};
  EXPECT_EQ(FindFilterPolicy("test.WholeKeys", user_policies), &user_policy);
  EXPECT_EQ(FindFilterPolicy("test.WholeKeys"), nullptr);
}

TEST(FindFilterPolicyTest, AUserPolicyComesBeforeTheBuiltinOfItsName) {
  const auto first = NewBloomFilterPolicy(5);
  const auto second = NewBloomFilterPolicy(6);
  const FilterPolicy* const user_policies[] = {first.get(), second.get()};
  EXPECT_EQ(FindFilterPolicy("leveldb.BuiltinBloomFilter2", user_policies), first.get());
  EXPECT_NE(FindFilterPolicy("leveldb.BuiltinBloomFilter", user_policies), nullptr);
}

TEST(FindFilterPolicyTest, TakesANameThatIsPartOfALongerString) {
  const absl::string_view name = absl::string_view("leveldb.BuiltinBloomFilter2").substr(0, 26);
  ASSERT_NE(FindFilterPolicy(name), nullptr);
  EXPECT_EQ(FindFilterPolicy(name)->Name(), "leveldb.BuiltinBloomFilter");
}

}  // namespace
}  // namespace sstable
