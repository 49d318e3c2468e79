#include "tools/bulk/range_sample.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"

namespace sstable::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Le;

std::vector<std::string> Keys(int count) {
  std::vector<std::string> keys;
  for (int i = 0; i < count; ++i) keys.push_back(absl::StrFormat("key%07d", i));
  return keys;
}

RangeSample SampleOf(const std::vector<std::pair<std::string, uint64_t>>& records) {
  RangeSample sample(records.size(), SIZE_MAX);
  for (const auto& [key, size] : records) sample.Add(key, size);
  return sample;
}

RangeSample SampleOf(const std::vector<std::string>& keys, size_t max_count,
                     size_t max_key_bytes = SIZE_MAX) {
  RangeSample sample(max_count, max_key_bytes);
  for (const std::string& key : keys) sample.Add(key, 100);
  return sample;
}

TEST(RangeSampleTest, OfAllRecordsCutsEvenly) {
  const RangeSample sample = SampleOf(Keys(1000), 1000);
  EXPECT_THAT(sample.Cuts(*BytewiseComparator(), 4),
              ElementsAre("key0000250", "key0000500", "key0000750"));
  EXPECT_THAT(sample.Cuts(*ReverseBytewiseComparator(), 2), ElementsAre("key0000499"));
  EXPECT_THAT(sample.Cuts(*BytewiseComparator(), 1), IsEmpty());
}

TEST(RangeSampleTest, CutsByBytesNotByRecords) {
  const RangeSample sample = SampleOf({{"a", 100}, {"b", 100}, {"c", 100}, {"d", 100}, {"e", 400}});
  EXPECT_THAT(sample.Cuts(*BytewiseComparator(), 2), ElementsAre("e"));
}

// The records of a key used to be added one by one, so that their order affected where the cuts
// were.
TEST(RangeSampleTest, TheOrderOfAKeysRecordsDoesNotMatter) {
  std::vector<std::pair<std::string, uint64_t>> records = {
      {"a", 10}, {"k", 2}, {"k", 20}, {"z", 18}};
  EXPECT_THAT(SampleOf(records).Cuts(*BytewiseComparator(), 2), ElementsAre("z"));
  std::swap(records[1], records[2]);
  EXPECT_THAT(SampleOf(records).Cuts(*BytewiseComparator(), 2), ElementsAre("z"));
}

// A key larger than its share used to consume the cuts of the parts after it.
TEST(RangeSampleTest, ALargeKeyLeavesTheOthersTheirParts) {
  const Comparator& bytewise = *BytewiseComparator();
  EXPECT_THAT(SampleOf({{"a", 1000}, {"b", 100}, {"c", 100}}).Cuts(bytewise, 3),
              ElementsAre("b", "c"));
  EXPECT_THAT(SampleOf({{"a", 100}, {"b", 1000}, {"c", 100}}).Cuts(bytewise, 3),
              ElementsAre("b", "c"));
  EXPECT_THAT(SampleOf({{"a", 100}, {"b", 100}, {"c", 1000}}).Cuts(bytewise, 3),
              ElementsAre("b", "c"));
  EXPECT_THAT(
      SampleOf({{"a", 1000}, {"b", 100}, {"c", 100}, {"d", 100}, {"e", 100}}).Cuts(bytewise, 3),
      ElementsAre("b", "d"));
}

TEST(RangeSampleTest, ThereAreAsManyPartsAsKeysAllow) {
  static const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 1000; ++i) {
    const size_t key_count = 1 + random() % 20;
    std::vector<std::pair<std::string, uint64_t>> records;
    for (const std::string& key : Keys(static_cast<int>(key_count))) {
      for (size_t n = 0; n <= random() % 3; ++n) records.emplace_back(key, 1u << random() % 20);
    }
    std::shuffle(records.begin(), records.end(), random);
    const size_t parts = 1 + random() % 20;
    EXPECT_EQ(SampleOf(records).Cuts(*BytewiseComparator(), parts).size(),
              std::min(parts, key_count) - 1);
  }
}

TEST(RangeSampleTest, IsBoundedAndDoesNotDependOnTheOrderOfRecords) {
  constexpr int kCount = 100000;
  constexpr size_t kParts = 10;
  std::vector<std::string> keys = Keys(kCount);
  const RangeSample sample = SampleOf(keys, 10000);
  EXPECT_EQ(sample.record_count(), kCount);
  EXPECT_THAT(sample.count(), Le(10000));
  EXPECT_GT(sample.count(), 5000 / 2);
  const auto cuts = sample.Cuts(*BytewiseComparator(), kParts);
  ASSERT_EQ(cuts.size(), kParts - 1);
  // Each part has about 900 records of the sample or more, so 15 % is above four standard
  // deviations.
  auto start = keys.begin();
  for (const std::string& cut : cuts) {
    const auto end = std::lower_bound(start, keys.end(), cut);
    EXPECT_NEAR(static_cast<double>(end - start), kCount / kParts, 0.15 * kCount / kParts) << cut;
    start = end;
  }
  std::shuffle(keys.begin(), keys.end(), std::mt19937(301));
  EXPECT_EQ(SampleOf(keys, 10000).Cuts(*BytewiseComparator(), kParts), cuts);
}

TEST(RangeSampleTest, BoundsTheBytesOfItsKeys) {
  std::vector<std::string> keys = Keys(1000);
  for (std::string& key : keys) key.append(1000, 'x');
  EXPECT_THAT(SampleOf(keys, 1000, 100000).count(), Le(100000 / 1010));
  EXPECT_EQ(SampleOf({std::string(1000, 'x')}, 10, 100).count(), 0) << "and it ends";
}

TEST(RangeSampleTest, NeitherTheFirstKeyNorAnEmptyOneIsACut) {
  EXPECT_THAT(SampleOf(std::vector<std::string>(), 10).Cuts(*BytewiseComparator(), 4), IsEmpty());
  EXPECT_THAT(SampleOf({"a"}, 10).Cuts(*BytewiseComparator(), 4), IsEmpty());
  EXPECT_THAT(SampleOf({"a", "a", "a", "b"}, 10).Cuts(*BytewiseComparator(), 4), ElementsAre("b"));
  EXPECT_THAT(SampleOf({"", "", "a"}, 10).Cuts(*BytewiseComparator(), 3), ElementsAre("a"));
  EXPECT_THAT(SampleOf({"", "a"}, 10).Cuts(*ReverseBytewiseComparator(), 2), IsEmpty());
  EXPECT_THAT(SampleOf({"", "a", "b"}, 10).Cuts(*ReverseBytewiseComparator(), 3), ElementsAre("a"));
}

}  // namespace
}  // namespace sstable::tools
