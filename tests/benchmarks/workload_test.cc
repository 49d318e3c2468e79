#include "benchmarks/workload.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace sstable::bench {
namespace {

class EntriesTest : public testing::TestWithParam<KeyShape> {};

TEST_P(EntriesTest, KeysAscendAndAbsentOnesAreNotAmongThem) {
  const Entries entries(GetParam(), 3000, 24);
  ASSERT_EQ(entries.size(), 3000);
  std::set<std::string> present, absent;
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_TRUE(i == 0 || entries.key(i - 1) < entries.key(i)) << i;
    present.insert(std::string(entries.key(i)));
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(present.count(entries.AbsentKey(i)), 0);
    absent.insert(entries.AbsentKey(i));
  }
  EXPECT_EQ(absent.size(), entries.size());
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

INSTANTIATE_TEST_SUITE_P(Shapes, EntriesTest, testing::ValuesIn(kKeyShapes),
                         [](const auto& info) { return NameOf(info.param); });

TEST(MakeKeyTest, MakesKeysAsPeopleHaveThem) {
  EXPECT_EQ(MakeKey(KeyShape::kPath, 12345), "tenant-00/user/00000061/feed/00000012345");
  EXPECT_EQ(MakeKey(KeyShape::kPath, 17'999'999), "tenant-08/user/00089999/feed/00017999999");
  EXPECT_EQ(MakeKey(KeyShape::kDecimal, 42), "0000000000000042");
  EXPECT_EQ(MakeKey(KeyShape::kUuid, 1).size(), 36);
  EXPECT_EQ(MakeKey(KeyShape::kUuid, 1)[14], '4');
  EXPECT_EQ(MakeKey(KeyShape::kCoins, 1).size(), 34);
  EXPECT_EQ(MakeKey(KeyShape::kAccounts, 1).size(), 65);
  for (uint64_t number = 0; number < 1000; ++number) {
    const std::string url = MakeKey(KeyShape::kUrl, number);
    EXPECT_TRUE(url.size() >= 20 && url.size() <= 120) << url;
  }
}

}  // namespace
}  // namespace sstable::bench
