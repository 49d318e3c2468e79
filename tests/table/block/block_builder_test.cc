#include "table/block/block_builder.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/block_bytes.h"
#include "util/bytes.h"

namespace sstable::test {
namespace {

using EntryList = std::vector<std::pair<std::string, std::string>>;

// Returns the block's bytes, sharing as much as possible. With `short_ones`, adds short entries by
// the method that a table builder uses.
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

// Tries all sizes of keys and values up to and just past the limit for short entries.
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

TEST(BlockBuilderTest, AnEntryTakesNoMoreThanItsOverhead) {
  ByteBuffer out;
  BlockBuilder builder(1);
  builder.Start(&out);
  builder.Add("", "", 0);
  const std::string key(1 << 21, 'k'), value(1 << 21, 'v');  // sizes of 4 bytes each, as varints
  const size_t before = builder.CurrentSize();
  builder.Add(key, value, 0);
  EXPECT_LE(builder.CurrentSize() - before,
            key.size() + value.size() + BlockBuilder::kMaxEntryOverhead);
}

}  // namespace
}  // namespace sstable::test
