#include "table/block/index_entries.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"

namespace sstable {
namespace {

std::string Value(const char* user_key, uint64_t sequence) {
  return MakeInternalKey(user_key, sequence, ValueType::kValue);
}

// Returns an index of four blocks. The second may begin with an older version of key "a".
Index FourBlocks() {
  return {{Value("a", 9), {0, 50}},
          {Value("b", 8), {55, 50}},
          {Value("c", 7), {110, 50}},
          {Value("d", 6), {165, 50}}};
}

TEST(IndexFinderTest, ComparesInternalKeysThoughOneOfTheIndexHasNoValidTag) {
  Index index = FourBlocks();
  index[2].key = "cc" + std::string(8, '\x05');
  const IndexFinder finder(&index, BytewiseComparator());
  EXPECT_TRUE(finder.MayBeEntryOf(1, Value("a", 3), Value("b", 8)));
  EXPECT_FALSE(finder.MayBeEntryOf(1, Value("a", 10), Value("b", 8)));
}

TEST(IndexFinderTest, ComparesPlainKeysIfMostHaveNoValidTag) {
  Index index = FourBlocks();
  index[1].key = "bb" + std::string(8, '\x05');
  index[2].key = "cc" + std::string(8, '\x05');
  const IndexFinder finder(&index, BytewiseComparator());
  EXPECT_FALSE(finder.MayBeEntryOf(1, Value("a", 3), Value("b", 8)));
}

TEST(IndexFinderTest, ComparesPlainKeysIfOneIsTooShortForATag) {
  Index index = FourBlocks();
  index[2].key = "c";
  const IndexFinder finder(&index, BytewiseComparator());
  EXPECT_FALSE(finder.MayBeEntryOf(1, Value("a", 3), Value("b", 8)));
}

TEST(IndexFinderTest, ComparesPlainKeysThoughTheIndexHasOneThatLooksLikeAnInternalKey) {
  const Index index = {{Value("a", 824), {0, 43}}};
  // As an internal key, index[0] has user key "a", which sorts before this key.
  const std::string key = index[0].key.substr(0, 6);
  const IndexFinder finder(&index, BytewiseComparator());
  EXPECT_TRUE(finder.MayBeEntryOf(0, key, key));
  EXPECT_FALSE(finder.MayBeEntryOf(0, "b", "b"));
}

}  // namespace
}  // namespace sstable
