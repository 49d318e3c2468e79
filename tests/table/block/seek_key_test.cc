#include "table/block/seek_key.h"

#include <string>

#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"

namespace sstable {
namespace {

TEST(SeekKeyTest, APlainKeyIsSoughtAsItIs) {
  EXPECT_EQ(SeekKey(KeyOrder(BytewiseComparator(), KeyKind::kPlain), "key", 7), "key");
}

TEST(SeekKeyTest, IsAboveTheVersionsThatTheSnapshotDoesNotSeeAndNoOther) {
  const KeyOrder order(BytewiseComparator(), KeyKind::kInternal);
  const std::string sought = SeekKey(order, "key", 7);
  for (const ValueType type : {ValueType::kDeletion, ValueType::kValue}) {
    EXPECT_GT(order.Compare(sought, MakeInternalKey("key", 8, type)), 0);
    EXPECT_LE(order.Compare(sought, MakeInternalKey("key", 7, type)), 0);
    EXPECT_LE(order.Compare(SeekKey(order, "key"), MakeInternalKey("key", kMaxSequence, type)), 0);
  }
}

}  // namespace
}  // namespace sstable
