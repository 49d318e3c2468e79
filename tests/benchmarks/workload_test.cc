#include "benchmarks/workload.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace sstable::bench {
namespace {

class EntriesTest : public testing::TestWithParam<KeyShape> {};

TEST_P(EntriesTest, KeysAscendAndAbsentOnesOfTheSameSizeAreNotAmongThem) {
  const Entries entries(GetParam(), 1000, 24);
  ASSERT_EQ(entries.size(), 1000);
  std::set<std::string> present;
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries.key(i).size(), entries.key_size());
    EXPECT_TRUE(i == 0 || entries.key(i - 1) < entries.key(i)) << i;
    present.insert(std::string(entries.key(i)));
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries.AbsentKey(i).size(), entries.key_size());
    EXPECT_EQ(present.count(entries.AbsentKey(i)), 0);
  }
}

TEST_P(EntriesTest, ShuffledKeysAreTheKeysEachOnce) {
  const Entries entries(GetParam(), 100, 24);
  std::set<std::string> expected;
  for (size_t i = 0; i < entries.size(); ++i) expected.insert(std::string(entries.key(i)));
  const KeyList shuffled = ShuffledKeys(entries, entries.size());
  std::set<std::string> actual;
  for (size_t i = 0; i < shuffled.size(); ++i) actual.insert(std::string(shuffled[i]));
  EXPECT_EQ(actual, expected);
  EXPECT_EQ(shuffled.size(), entries.size());
}

INSTANTIATE_TEST_SUITE_P(Shapes, EntriesTest,
                         testing::Values(KeyShape::kDecimal, KeyShape::kRandom, KeyShape::kPath));

TEST(PathKeyTest, NumbersUserAndTenantByTheFeed) {
  EXPECT_EQ(PathKey(12345), "tenant-00/user/00000061/feed/00000012345");
  EXPECT_EQ(PathKey(17'999'999), "tenant-08/user/00089999/feed/00017999999");
}

}  // namespace
}  // namespace sstable::bench
