#include "table/inspect/order_evidence.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"

namespace sstable {
namespace {

using Blocks = std::vector<std::vector<std::string>>;

OrderEvidence Collect(const Blocks& blocks, KeyKind kind = KeyKind::kPlain) {
  OrderEvidence evidence(kind);
  for (const std::vector<std::string>& block : blocks) {
    evidence.BeginBlock();
    for (const std::string& key : block) evidence.Add(key);
  }
  return evidence;
}

// Returns the keys of IndexedDB records with these numbers.
std::vector<std::string> IndexedDbKeys(std::initializer_list<double> numbers) {
  std::vector<std::string> keys;
  for (const double number : numbers) {
    keys.emplace_back("\0\1\1\1\3", 5);
    keys.back().append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  return keys;
}

OrderGuess WeighPlain(const Blocks& blocks) {
  return WeighOrder(Collect(blocks), IndexKeyEvidence(KeyKind::kPlain));
}

TEST(OrderEvidenceTest, KeysOfIndexedDbShowItsOrder) {
  const OrderGuess guess =
      WeighPlain({IndexedDbKeys({-7, -1, 0, 1, 2}), IndexedDbKeys({3, 9, 256})});
  EXPECT_EQ(guess.comparator, IndexedDbComparator());
  EXPECT_FALSE(guess.has_out_of_order);
  EXPECT_EQ(WeighPlain({IndexedDbKeys({-7, -1, 0, 1, 2, 3, 9})}).comparator, nullptr)
      << "seven keys are too few";
}

TEST(OrderEvidenceTest, AKeyOutOfIndexedDbsOrderIsAStray) {
  const OrderGuess guess =
      WeighPlain({IndexedDbKeys({-7, 0, -1, 1, 2}), IndexedDbKeys({3, 9, 256})});
  EXPECT_EQ(guess.comparator, IndexedDbComparator());
  EXPECT_TRUE(guess.has_out_of_order);
}

// The strings have different sizes. They were written by a program that gave LevelDB another
// comparison function under that name.
TEST(OrderEvidenceTest, AnOrderWithoutStraysWinsOverOneWithAFew) {
  std::vector<std::string> keys;
  for (const std::string text : {"a", "b", "c", "d", "e", "f", "g", "h", "aa", "zb", "zc"}) {
    keys.emplace_back("\0\1\1\1\1", 5);
    keys.back().push_back(static_cast<char>(text.size()));
    for (const char c : text) keys.back().append({'\0', c});
  }
  const OrderEvidence evidence = Collect({keys});
  ASSERT_EQ(evidence.out_of_order_keys(IndexedDbComparator()), 1);
  const OrderGuess guess = WeighPlain({keys});
  EXPECT_EQ(guess.comparator, BytewiseComparator());
  EXPECT_FALSE(guess.has_out_of_order);
}

// Keys of IndexedDB are considered to be in its own order, even if bytewise order fits as well.
TEST(OrderEvidenceTest, KeysOfIndexedDbThatAscendByteByByteAreInItsOrder) {
  const Blocks blocks = {IndexedDbKeys({2, 2.5, 3, 3.5, 4, 5, 6, 7})};
  const OrderEvidence evidence = Collect(blocks);
  ASSERT_EQ(evidence.out_of_order_keys(BytewiseComparator()), 0);
  EXPECT_EQ(WeighPlain(blocks).comparator, IndexedDbComparator());
  IndexKeyEvidence shortened(KeyKind::kPlain);
  shortened.Add("\1", blocks[0].back());
  EXPECT_EQ(WeighOrder(evidence, shortened).comparator, BytewiseComparator());
}

TEST(OrderEvidenceTest, KeysThatAreNotOfIndexedDbAreNotInItsOrder) {
  std::vector<std::string> keys = IndexedDbKeys({-7, -1, 0, 1, 2, 3, 9, 256});
  for (std::string& key : keys) key += "x";  // after the end of a valid key
  const OrderEvidence evidence = Collect({keys});
  EXPECT_FALSE(evidence.AreIndexedDbKeys());
  EXPECT_EQ(WeighPlain({keys}).comparator, nullptr);
}

TEST(OrderEvidenceTest, AShortenedIndexKeyShowsBytewiseOrder) {
  IndexKeyEvidence index(KeyKind::kPlain);
  index.Add("d", "cherry");
  const OrderGuess guess = WeighOrder(Collect({{"banana", "apple", "cherry"}}), index);
  EXPECT_EQ(guess.comparator, BytewiseComparator());
  EXPECT_TRUE(guess.has_out_of_order);
}

TEST(OrderEvidenceTest, CountsVersionsOfAUserKeyAsOneKey) {
  const OrderEvidence evidence = Collect(
      {{MakeInternalKey("a", 9, ValueType::kValue), MakeInternalKey("a", 7, ValueType::kValue),
        MakeInternalKey("a", 8, ValueType::kValue), MakeInternalKey("b", 1, ValueType::kValue)}},
      KeyKind::kInternal);
  EXPECT_EQ(evidence.keys(), 2);
  EXPECT_EQ(evidence.falling_versions(), 1);
  EXPECT_EQ(evidence.rising_versions(), 1);
  EXPECT_EQ(evidence.out_of_order_keys(BytewiseComparator()), 0);
}

TEST(OrderEvidenceTest, KnowsAShortenedIndexKey) {
  EXPECT_TRUE(IsShortened(KeyKind::kPlain, "d", "cherry"));
  EXPECT_FALSE(IsShortened(KeyKind::kPlain, "cherry", "cherry")) << "it is the last key itself";
  EXPECT_FALSE(IsShortened(KeyKind::kPlain, "c", "cherry")) << "it is below the last key";
  const std::string last_key = MakeInternalKey("cherry", 7, ValueType::kValue);
  EXPECT_TRUE(IsShortened(KeyKind::kInternal, MakeInternalKey("d", kMaxSequence, ValueType::kValue),
                          last_key));
  EXPECT_FALSE(
      IsShortened(KeyKind::kInternal, MakeInternalKey("d", 7, ValueType::kValue), last_key))
      << "it does not have the tag of a seek";
  EXPECT_TRUE(IsShortened(KeyKind::kInternal,
                          MakeInternalKey("d", kMaxSequence, static_cast<ValueType>(22)), last_key))
      << "RocksDB's tag of a seek";
}

}  // namespace
}  // namespace sstable
