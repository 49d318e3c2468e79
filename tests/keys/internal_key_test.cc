#include "sstable/internal_key.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "tests/support/hex.h"
#include "tests/support/random_bytes.h"

namespace sstable::test {
namespace {

// The tag that sorts before all others; shortened index keys have it.
constexpr char kFirstTag[] = "01ffffffffffffff";

std::string Value(absl::string_view user_key, uint64_t sequence) {
  return MakeInternalKey(user_key, sequence, ValueType::kValue);
}
std::string Deletion(absl::string_view user_key, uint64_t sequence) {
  return MakeInternalKey(user_key, sequence, ValueType::kDeletion);
}

TEST(InternalKeyTest, IsTheUserKeyThenSequenceAndTypeInOneNumber) {
  EXPECT_EQ(ToHex(Value("key", 0x01020304050607)), Hex("6b6579 0107060504030201"));
  EXPECT_EQ(ToHex(Deletion("", 0)), "0000000000000000");
  EXPECT_EQ(ToHex(Value("", kMaxSequence)), kFirstTag);
  EXPECT_EQ(SeekTag(kMaxSequence), 0xffffffffffffff01);
}

struct ParseCase {
  const char* name;
  const char* hex;
  std::optional<std::pair<const char*, uint64_t>> user_key_and_sequence;  // nullopt if refused
  ValueType type = ValueType::kValue;
};

class ParseInternalKeyTest : public testing::TestWithParam<ParseCase> {};

TEST_P(ParseInternalKeyTest, ParsesOrRefuses) {
  const ExactCopy bytes(FromHex(GetParam().hex));
  const auto parsed = ParseInternalKey(bytes.view());
  ASSERT_EQ(parsed.has_value(), GetParam().user_key_and_sequence.has_value());
  if (!parsed) return;
  EXPECT_EQ(parsed->user_key, GetParam().user_key_and_sequence->first);
  EXPECT_EQ(parsed->user_key.data(), bytes.view().data());
  EXPECT_EQ(parsed->sequence, GetParam().user_key_and_sequence->second);
  EXPECT_EQ(parsed->type, GetParam().type);
}

INSTANTIATE_TEST_SUITE_P(Bytes, ParseInternalKeyTest,
                         testing::ValuesIn<ParseCase>({
                             {"Nothing", "", std::nullopt},
                             {"SevenBytes", "01000000000000", std::nullopt},
                             {"EmptyUserKey", "0102000000000000", {{"", 2}}},
                             {"OneByteUserKey", "61 0102000000000000", {{"a", 2}}},
                             {"Deletion", "61 0002000000000000", {{"a", 2}}, ValueType::kDeletion},
                             {"LargestSequence", "61 01ffffffffffffff", {{"a", kMaxSequence}}},
                             {"Type2", "61 0202000000000000", std::nullopt},
                             {"Type255", "61 ffffffffffffffff", std::nullopt},
                         }),
                         [](const auto& info) { return info.param.name; });

TEST(ExtractTest, TakesBytesTooShortForATagAsAUserKey) {
  for (size_t size = 0; size < kTagSize; ++size) {
    const ExactCopy bytes(std::string(size, 'x'));
    EXPECT_EQ(ExtractUserKey(bytes.view()), bytes.view()) << size;
    EXPECT_EQ(ExtractTag(bytes.view()), 0) << size;
  }
  EXPECT_EQ(ExtractUserKey("12345678"), "");
  EXPECT_EQ(ExtractUserKey("a12345678"), "a");
}

class InternalKeyComparatorTest : public testing::Test {
 protected:
  std::string Separator(std::string start, absl::string_view limit) const {
    comparator_.FindShortestSeparator(&start, limit);
    return start;
  }
  std::string Successor(std::string key) const {
    comparator_.FindShortSuccessor(&key);
    return key;
  }
  const InternalKeyComparator comparator_{BytewiseComparator()};
};

TEST_F(InternalKeyComparatorTest, HasLevelDbsName) {
  EXPECT_EQ(comparator_.Name(), "leveldb.InternalKeyComparator");
  EXPECT_EQ(comparator_.user_comparator(), BytewiseComparator());
}

TEST_F(InternalKeyComparatorTest, OrdersByUserKeyThenNewestFirst) {
  const std::vector<std::string> ascending = {
      Value("", 1),
      Value("a", kMaxSequence),
      Value("a", 300),
      Value("a", 2),
      Deletion("a", 2),
      Value("a", 1),
      Value("a", 0),
      Deletion("a", 0),
      // Bytewise, "a" + tag is above "a\0" + tag, but user key "a" is below "a\0".
      Value(absl::string_view("a\0", 2), 9),
      Value("aa", 1),
      Value("b", 5),
      Value("\xff", 7),
  };
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      const int order = comparator_.Compare(ascending[i], ascending[j]);
      EXPECT_EQ((order > 0) - (order < 0), (i > j) - (i < j)) << i << " " << j;
    }
  }
}

TEST_F(InternalKeyComparatorTest, OrdersUserKeysAsItsUserComparatorSays) {
  const InternalKeyComparator reverse(ReverseBytewiseComparator());
  EXPECT_LT(reverse.Compare(Value("b", 1), Value("a", 1)), 0);
  EXPECT_LT(reverse.Compare(Value("a", 2), Value("a", 1)), 0);
}

TEST_F(InternalKeyComparatorTest, ComparesBytesTooShortForATag) {
  const std::string empty, seven = "aaaaaaa";
  EXPECT_EQ(comparator_.Compare(empty, empty), 0);
  EXPECT_LT(comparator_.Compare(empty, seven), 0);
  EXPECT_GT(comparator_.Compare(seven, empty), 0);
  EXPECT_LT(comparator_.Compare(seven, Value("b", 1)), 0);
  EXPECT_GT(comparator_.Compare(seven, Value("aaaaaaa", 1)), 0);  // as if with tag 0, the oldest
}

TEST_F(InternalKeyComparatorTest, NeverShortensOverAReverseComparator) {
  const InternalKeyComparator reverse(ReverseBytewiseComparator());
  std::string key = Value("foobar", 100);
  reverse.FindShortestSeparator(&key, Value("bar", 100));
  EXPECT_EQ(key, Value("foobar", 100));
  reverse.FindShortSuccessor(&key);
  EXPECT_EQ(key, Value("foobar", 100));
}

// Shortens to a key that is not above the original, like a careless user's comparator.
class CarelessComparator final : public Comparator {
 public:
  absl::string_view Name() const override { return "test.Careless"; }
  int Compare(absl::string_view a, absl::string_view b) const override { return a.compare(b); }
  void FindShortestSeparator(std::string* start, absl::string_view) const override {
    start->resize(start->size() / 2);
  }
  void FindShortSuccessor(std::string* key) const override { key->resize(key->size() / 2); }
};

TEST_F(InternalKeyComparatorTest, KeepsTheKeyIfTheShortenedOneIsNotAboveIt) {
  const CarelessComparator careless;
  const InternalKeyComparator comparator(&careless);
  std::string key = Value("foobar", 100);
  comparator.FindShortestSeparator(&key, Value("hello", 100));
  EXPECT_EQ(key, Value("foobar", 100));
  comparator.FindShortSuccessor(&key);
  EXPECT_EQ(key, Value("foobar", 100));
}

TEST_F(InternalKeyComparatorTest, SeparatesAndSucceedsWithinTheBounds) {
  constexpr uint64_t kSeed = 2;
  Rng rng(kSeed);
  int shortened = 0;
  for (int i = 0; i < 20000; ++i) {
    // A few keys are too short for a tag, as in a damaged block.
    const auto random_key = [&rng] {
      if (RandomUpTo(rng, 19) == 0) return RandomBytesOf(rng, RandomUpTo(rng, 7), "abz\xff");
      return MakeInternalKey(RandomBytesOf(rng, RandomUpTo(rng, 5), "abz\xff"), RandomUpTo(rng, 3),
                             RandomUpTo(rng, 1) ? ValueType::kValue : ValueType::kDeletion);
    };
    std::string start = random_key(), limit = random_key();
    if (comparator_.Compare(start, limit) == 0) continue;
    if (comparator_.Compare(start, limit) > 0) std::swap(start, limit);
    SCOPED_TRACE(absl::StrCat("seed ", kSeed, ": ", ToHex(start), " ", ToHex(limit)));
    const std::string separator = Separator(start, limit);
    ASSERT_LE(comparator_.Compare(start, separator), 0);
    ASSERT_LT(comparator_.Compare(separator, limit), 0);
    const std::string successor = Successor(start);
    ASSERT_LE(comparator_.Compare(start, successor), 0);
    if (start.size() < kTagSize) continue;
    ASSERT_LE(separator.size(), start.size());
    ASSERT_LE(successor.size(), start.size());
    shortened += separator.size() < start.size();
  }
  EXPECT_GT(shortened, 1000);
}

}  // namespace
}  // namespace sstable::test
