// Tests the bytes of filter blocks. filter_block_reader_test tests their answers.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "tests/support/hex.h"
#include "tests/support/random_bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_policies.h"

namespace sstable::test {
namespace {

// A data block's file offset, and its keys.
using Blocks = std::vector<std::pair<uint64_t, std::vector<std::string>>>;

// Calls the builder as a table builder does: StartBlock() at the start of each data block and, if
// `end_offset` is not 0, once more after the last.
std::string Build(const FilterPolicy& policy, const Blocks& blocks, uint64_t end_offset = 0,
                  int base_lg = kDefaultFilterBaseLg) {
  FilterBlockBuilder builder(&policy, base_lg);
  for (const auto& [block_offset, keys] : blocks) {
    builder.StartBlock(block_offset);
    for (const std::string& key : keys) builder.AddKey(key);
  }
  if (end_offset != 0) builder.StartBlock(end_offset);
  const auto contents = builder.Finish();
  EXPECT_OK(contents);
  return std::string(contents.value_or(""));
}

std::string HexOf(const FilterPolicy& policy, const Blocks& blocks, uint64_t end_offset = 0,
                  int base_lg = kDefaultFilterBaseLg) {
  return ToHex(Build(policy, blocks, end_offset, base_lg));
}

TEST(FilterBlockBuilderTest, WithoutBlocksIsLevelDbsFiveBytes) {
  const WholeKeysPolicy whole_keys;
  EXPECT_EQ(HexOf(whole_keys, {}), Hex("00000000 0b"));
  EXPECT_EQ(HexOf(*NewBloomFilterPolicy(10), {}), Hex("00000000 0b"));
  EXPECT_EQ(HexOf(whole_keys, {{0, {}}, {100, {}}}), Hex("00000000 0b"));
}

TEST(FilterBlockBuilderTest, BlocksThatStartInOneWindowShareItsFilter) {
  EXPECT_EQ(
      HexOf(WholeKeysPolicy(), {{100, {"foo", "bar", "box"}}, {200, {"box"}}, {2047, {"hello"}}}),
      Hex("03000000 666f6f 03000000 626172 03000000 626f78"  // foo bar box
          "03000000 626f78"                                  // box again
          "05000000 68656c6c6f"                              // hello
          "00000000 25000000 0b"));
}

TEST(FilterBlockBuilderTest, WindowsWithoutABlockRepeatAnOffset) {
  EXPECT_EQ(HexOf(WholeKeysPolicy(),
                  {{0, {"foo"}}, {2000, {"bar"}}, {3100, {"box"}}, {9000, {"box", "hello"}}}),
            Hex("03000000 666f6f 03000000 626172"      // window 0: foo bar
                "03000000 626f78"                      // window 1: box
                "03000000 626f78 05000000 68656c6c6f"  // window 4: box hello
                "00000000 0e000000 15000000 15000000 15000000 25000000 0b"));
}

TEST(FilterBlockBuilderTest, TheEmptyKeyIsAKey) {
  const WholeKeysPolicy policy;
  EXPECT_EQ(HexOf(policy, {{0, {""}}}), Hex("00000000 00000000 04000000 0b"));
  EXPECT_EQ(HexOf(policy, {{0, {"", ""}}}), Hex("00000000 00000000 00000000 08000000 0b"));
  EXPECT_EQ(HexOf(*NewBloomFilterPolicy(10), {{0, {""}}}),
            Hex("0800040002001180 06 00000000 09000000 0b"));
}

TEST(FilterBlockBuilderTest, KeysNeedNotOutliveAddKey) {
  const WholeKeysPolicy policy;
  FilterBlockBuilder builder(&policy);
  builder.StartBlock(0);
  for (const char* letter : {"a", "b", "c"}) {
    std::string key(100, *letter);
    builder.AddKey(key);
    key.assign(100, '#');
  }
  ASSERT_OK_AND_ASSIGN(const absl::string_view contents, builder.Finish());
  EXPECT_EQ(
      contents.substr(0, 312),
      MakeFilter(policy, {std::string(100, 'a'), std::string(100, 'b'), std::string(100, 'c')}));
}

struct BaseLgCase {
  int base_lg;
  const char* array_and_tail;  // hex
};

class BaseLgTest : public testing::TestWithParam<BaseLgCase> {};

TEST_P(BaseLgTest, IsTheSizeOfAWindow) {
  EXPECT_EQ(HexOf(WholeKeysPolicy(), {{0, {"a"}}, {3, {"b"}}, {9, {"c"}}}, 10, GetParam().base_lg),
            Hex("0100000061 0100000062 0100000063") + Hex(GetParam().array_and_tail));
}

INSTANTIATE_TEST_SUITE_P(
    BaseLgs, BaseLgTest,
    testing::ValuesIn<BaseLgCase>({
        {0,
         "00000000 05000000 05000000 05000000 0a000000 0a000000 0a000000 0a000000 0a000000"
         " 0a000000 0f000000 00"},
        {1, "00000000 05000000 0a000000 0a000000 0a000000 0f000000 01"},
        {2, "00000000 0a000000 0a000000 0f000000 02"},
        {3, "00000000 0a000000 0f000000 03"},
        {4, "00000000 0f000000 04"},
        {63, "00000000 0f000000 3f"},
    }),
    [](const auto& info) { return absl::StrCat(info.param.base_lg); });

struct AutoCase {
  const char* name;
  uint64_t block_size;  // including the trailer
  size_t keys_per_block;
  size_t block_count;
  int base_lg;
};

// Appends blocks from offset `start` on.
void AddBlocks(uint64_t start, const AutoCase& c, Blocks* blocks) {
  for (size_t i = 0; i < c.block_count; ++i) {
    blocks->push_back({start + i * c.block_size, {}});
    for (size_t k = 0; k < c.keys_per_block; ++k) {
      blocks->back().second.push_back(absl::StrCat(start, " ", i, " ", k));
    }
  }
}

class AutoBaseLgTest : public testing::TestWithParam<AutoCase> {};

TEST_P(AutoBaseLgTest, IsTheSmallestWithEnoughKeysAndWholeBlocksInAWindow) {
  const AutoCase& c = GetParam();
  Blocks blocks;
  AddBlocks(0, c, &blocks);
  const uint64_t end = c.block_count * c.block_size;
  const auto bloom = NewBloomFilterPolicy(10);
  const WithoutTraits whole_keys(bloom.get());
  for (const FilterPolicy* const policy :
       {bloom.get(), static_cast<const FilterPolicy*>(&whole_keys)}) {
    EXPECT_EQ(HexOf(*policy, blocks, end, kAutoFilterBaseLg),
              HexOf(*policy, blocks, end, c.base_lg));
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, AutoBaseLgTest,
                         testing::ValuesIn<AutoCase>({
                             {"NoBlocks", 0, 0, 0, 11},
                             {"NoKeys", 4096, 0, 10, 11},
                             {"OneBlock", 4096, 40, 1, 14},
                             {"LevelDbsRaw", 4124, 35, 200, 14},
                             {"LevelDbsSnappy", 2060, 35, 400, 13},
                             {"SmallEntries", 1000, 100, 100, 11},
                             {"SmallEntriesInLargeBlocks", 65600, 4000, 30, 17},
                             {"LargeValues", 100000, 1, 30, 24},
                             {"ExactlyEnough", 2048, 50, 100, 12},
                         }),
                         [](const auto& info) { return info.param.name; });

// Data after the first MiB is ignored, so it need not be kept.
TEST(FilterBlockBuilderTest, AutoBaseLgIsChosenByTheFirstBlocks) {
  Blocks blocks;
  AddBlocks(0, {"", 4096, 35, 256, 14}, &blocks);
  AddBlocks(uint64_t{1} << 20, {"", 100, 100, 1000, 0}, &blocks);
  const auto policy = NewBloomFilterPolicy(10);
  EXPECT_EQ(HexOf(*policy, blocks, 0, kAutoFilterBaseLg), HexOf(*policy, blocks, 0, 14));
}

TEST(FilterBlockBuilderTest, CountsWindowsPastFourGigabytes) {
  const WholeKeysPolicy policy;
  constexpr uint64_t kGigabyte = uint64_t{1} << 30;
  EXPECT_EQ(HexOf(policy, {{kGigabyte, {"a"}}, {5 * kGigabyte, {"b"}}}, 6 * kGigabyte, 30),
            Hex("0100000061 0100000062 00000000 00000000 05000000 05000000 05000000 05000000 "
                "0a000000 1e"));

  // This distance can also be written with LevelDB's windows.
  const std::string contents = Build(policy, {{0, {"a"}}, {5 * kGigabyte, {"b"}}});
  const FilterBlockReader reader = FilterBlockReader::Parse(&policy, contents).value();
  EXPECT_EQ(reader.window_count(), 5 * kGigabyte / 2048 + 1);
  EXPECT_TRUE(reader.KeyMayMatch(5 * kGigabyte, "b"));
  EXPECT_TRUE(reader.KeyMayMatch(5 * kGigabyte + 2047, "b"));
  EXPECT_FALSE(reader.KeyMayMatch(5 * kGigabyte - 1, "b"));
  EXPECT_FALSE(reader.KeyMayMatch(kGigabyte, "a"));  // 5 GiB less 4 GiB
  EXPECT_FALSE(reader.KeyMayMatch(5 * kGigabyte, "a"));
}

TEST(FilterBlockBuilderTest, WindowsReachToTheLastByteOfAFile) {
  const WholeKeysPolicy policy;
  EXPECT_EQ(HexOf(policy, {{0, {"a"}}, {~uint64_t{0}, {"b"}}}, 0, 63),
            Hex("0100000061 0100000062 00000000 05000000 0a000000 3f"));
}

// A Bloom policy's keys are kept as hashes, other policies' keys as they are. The filters must be
// the same.
TEST(FilterBlockBuilderTest, HashesGiveTheBytesThatThePolicyMakesOfKeys) {
  const std::unique_ptr<const FilterPolicy> blooms[] = {
      NewBloomFilterPolicy(10), NewBloomFilterPolicy(7, BloomName::kLevelDbOld),
      NewBloomFilterPolicy(0, BloomName::kRocksDb)};
  for (const auto& bloom : blooms) {
    const InternalFilterPolicy internal(bloom.get());
    for (const FilterPolicy* policy : {bloom.get(), static_cast<const FilterPolicy*>(&internal)}) {
      for (uint64_t seed = 0; seed < 50; ++seed) {
        Rng rng(seed);
        Blocks blocks;
        uint64_t block_offset = 0;
        for (int i = 0; i < 20; ++i) {
          std::vector<std::string> keys(RandomUpTo(rng, 9));
          for (std::string& key : keys) key = RandomBytes(rng, RandomUpTo(rng, 20));
          blocks.push_back({block_offset, std::move(keys)});
          block_offset += RandomUpTo(rng, 4000);
        }
        ASSERT_EQ(HexOf(*policy, blocks, block_offset),
                  HexOf(WithoutTraits(policy), blocks, block_offset))
            << policy->Name() << ", seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace sstable::test
