#include "table/block/block_builder.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/block_bytes.h"
#include "tests/support/hex.h"
#include "util/bytes.h"

namespace sstable::test {
namespace {

using EntryList = std::vector<std::pair<std::string, std::string>>;

// Returns the block's bytes, sharing as much as possible. With `short_ones`, does it like a table
// builder.
std::string Build(const EntryList& entries, int restart_interval, bool short_ones = false) {
  ByteBuffer out;
  BlockBuilder builder(restart_interval);
  builder.Start(&out);
  absl::string_view last_key;
  for (const auto& [key, value] : entries) {
    const size_t shared = CommonPrefixSize(key, last_key);
    if (!short_ones || builder.empty() || !BlockBuilder::IsShort(key, value) ||
        !builder.TryAddShort(key, value, shared)) {
      builder.Add(key, value, shared);
    }
    last_key = key;
  }
  const size_t size = builder.CurrentSize();
  const size_t start = builder.Finish();
  EXPECT_EQ(start, 0);
  EXPECT_EQ(out.size(), size) << "CurrentSize() was wrong";
  return std::string(out.view());
}

TEST(BlockBuilderTest, SharesPrefixes) {
  EXPECT_EQ(ToHex(Build({{"car", "1"}, {"cat", "2"}}, 16)),
            Hex("000301 636172 31"      // shared 0, unshared 3, value size 1
                "020101 74 32"          // shared 2, unshared 1, value size 1
                "00000000 01000000"));  // restart point 0 at block offset 0; one restart point
}

TEST(BlockBuilderTest, StartsKeysAnewAtRestartPoints) {
  EXPECT_EQ(ToHex(Build({{"car", "1"}, {"cat", "2"}, {"cats", ""}}, 2)),
            Hex("000301 636172 31"
                "020101 74 32"
                "000400 63617473"  // shared 0 again
                "00000000 0c000000 02000000"));
}

TEST(BlockBuilderTest, AnEmptyBlockHasOneRestartPoint) {
  EXPECT_EQ(ToHex(Build({}, 16)), Hex("00000000 01000000"));
}

TEST(BlockBuilderTest, TakesEmptyKeysAndValues) {
  EXPECT_EQ(ToHex(Build({{"", ""}, {std::string(1, '\0'), ""}}, 16)),
            Hex("000000 000100 00 00000000 01000000"));
}

TEST(BlockBuilderTest, WritesSizesFrom128OnInTwoBytes) {
  const std::string key(127, 'k'), long_key(128, 'k');
  EXPECT_EQ(ToHex(Build({{key, std::string(127, 'v')}}, 16).substr(0, 3)), "007f7f");
  EXPECT_EQ(ToHex(Build({{key, std::string(128, 'v')}}, 16).substr(0, 4)), "007f8001");
  EXPECT_EQ(ToHex(Build({{long_key, ""}}, 16).substr(0, 4)), "00800100");
  const std::string shared = Build({{long_key, ""}, {absl::StrCat(long_key, "x"), "y"}}, 16);
  EXPECT_EQ(ToHex(shared.substr(132, 6)), Hex("80010101 78 79"));
}

TEST(BlockBuilderTest, EncodesAsTheFormatSaysWithEveryInterval) {
  EntryList entries;
  for (int i = 0; i < 100; ++i) {
    entries.emplace_back(absl::StrCat(std::string(i % 7 * 40, 'p'), 1000 + i),
                         std::string(i * 5, 'v'));
  }
  for (int interval : {1, 2, 3, 16, 99, 100, 1000}) {
    EXPECT_EQ(Build(entries, interval), EncodeBlock(entries, {interval})) << interval;
    EXPECT_EQ(Build(entries, interval, /*short_ones=*/true), EncodeBlock(entries, {interval}))
        << interval;
  }
}

// Every size of key and value near those at which a short entry is copied differently.
TEST(BlockBuilderTest, ShortEntriesAreLikeOthers) {
  for (size_t value_size = 0; value_size <= 130; ++value_size) {
    EntryList entries;
    std::string key(1, 'a');
    for (size_t key_size = 1; key_size <= 130; ++key_size) {
      key.resize(key_size, static_cast<char>('a' + key_size % 26));
      ++key[key_size * 7 % key_size];  // shares any number of bytes with the previous key
      std::string value(value_size, 'v');
      if (value_size > 0) value.front() = '<', value.back() = '>';
      entries.emplace_back(key, value);
    }
    ASSERT_EQ(Build(entries, 16, /*short_ones=*/true), Build(entries, 16)) << value_size;
  }
}

TEST(BlockBuilderTest, LeavesWhatStandsBeforeTheBlock) {
  ByteBuffer out;
  out.Append("before");
  BlockBuilder builder(1);
  builder.Start(&out);
  EXPECT_TRUE(builder.empty());
  EXPECT_EQ(builder.CurrentSize(), 8);
  builder.Add("a", "1", 0);
  builder.Add("b", "2", 0);
  EXPECT_FALSE(builder.empty());
  EXPECT_EQ(builder.Finish(), 6);
  // Restart points count from the block's start.
  EXPECT_EQ(out.view(), absl::StrCat("before", EncodeBlock({{"a", "1"}, {"b", "2"}}, {1})));
}

TEST(BlockBuilderTest, MakesOneBlockBehindTheOther) {
  ByteBuffer out;
  BlockBuilder builder(16);
  builder.Start(&out);
  builder.Add("car", "1", 0);
  builder.Finish();
  out.Append("trailer");
  builder.Start(&out);
  EXPECT_TRUE(builder.empty());
  builder.Add("cat", "2",
              /*shared=*/2);  // ignored for the first entry of a block
  EXPECT_EQ(builder.Finish(), EncodeBlock({{"car", "1"}}).size() + 7);
  EXPECT_EQ(out.view(),
            absl::StrCat(EncodeBlock({{"car", "1"}}), "trailer", EncodeBlock({{"cat", "2"}})));
}

TEST(BlockBuilderTest, AnEntryTakesNoMoreThanItsOverhead) {
  ByteBuffer out;
  BlockBuilder builder(1);
  builder.Start(&out);
  builder.Add("", "", 0);
  const std::string key(1 << 21, 'k'), value(1 << 21, 'v');  // their sizes take 4 bytes each
  const size_t before = builder.CurrentSize();
  builder.Add(key, value, 0);
  EXPECT_LE(builder.CurrentSize() - before,
            key.size() + value.size() + BlockBuilder::kMaxEntryOverhead);
}

}  // namespace
}  // namespace sstable::test
