#include "table/block/key_order.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"

namespace sstable {
namespace {

std::string Value(const char* user_key, uint64_t sequence) {
  return MakeInternalKey(user_key, sequence, ValueType::kValue);
}

int Sign(int order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

// The inline forms must agree with the comparators.
TEST(KeyOrderTest, OrdersLikeItsComparator) {
  const std::vector<std::string> keys = {"",
                                         "a",
                                         "a\xff",
                                         "b",
                                         "short",
                                         std::string(8, '\0'),
                                         Value("a", 1),
                                         Value("a", 2),
                                         MakeInternalKey("a", 2, ValueType::kDeletion),
                                         Value("ab", 1),
                                         Value("", kMaxSequence)};
  for (const Comparator* comparator : {BytewiseComparator(), ReverseBytewiseComparator()}) {
    for (const KeyKind kind : {KeyKind::kPlain, KeyKind::kInternal}) {
      const KeyOrder order(comparator, kind);
      for (const std::string& a : keys) {
        for (const std::string& b : keys) {
          EXPECT_EQ(Sign(order.Compare(a, b)), Sign(order.comparator().Compare(a, b)));
        }
      }
    }
  }
}

TEST(KeyOrderTest, NamesTheOrdersThatHaveInlineForms) {
  using Shape = KeyOrder::Shape;
  EXPECT_EQ(KeyOrder(BytewiseComparator(), KeyKind::kPlain).shape(), Shape::kBytewise);
  EXPECT_EQ(KeyOrder(BytewiseComparator(), KeyKind::kInternal).shape(), Shape::kInternalBytewise);
  EXPECT_EQ(KeyOrder(ReverseBytewiseComparator(), KeyKind::kPlain).shape(), Shape::kOther);
}

TEST(KeyOrderTest, TakesTheUserKeyOfInternalKeysOnly) {
  const std::string key = Value("apple", 7);
  EXPECT_EQ(KeyOrder(BytewiseComparator(), KeyKind::kPlain).UserKey(key), key);
  EXPECT_EQ(KeyOrder(BytewiseComparator(), KeyKind::kInternal).UserKey(key), "apple");
}

// With keep_input_order, any key may follow except the same one or a newer version of it.
TEST(MayFollowTest, RefusesTheSameKeyAndNewerVersions) {
  EXPECT_TRUE(MayFollow(KeyKind::kPlain, "b", "a"));
  EXPECT_FALSE(MayFollow(KeyKind::kPlain, "a", "a"));
  EXPECT_TRUE(MayFollow(KeyKind::kInternal, Value("b", 1), Value("a", 1)));
  EXPECT_TRUE(MayFollow(KeyKind::kInternal, Value("a", 2), Value("a", 1)));
  EXPECT_FALSE(MayFollow(KeyKind::kInternal, Value("a", 1), Value("a", 1)));
  EXPECT_FALSE(MayFollow(KeyKind::kInternal, Value("a", 1), Value("a", 2)));
}

}  // namespace
}  // namespace sstable
