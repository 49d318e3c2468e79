#include "sstable/comparator.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "leveldb/comparator.h"
#include "leveldb/slice.h"
#include "tests/support/hex.h"
#include "tests/support/random_bytes.h"

namespace sstable::test {
namespace {

int Sign(int order) { return (order > 0) - (order < 0); }

std::string Separator(const Comparator* comparator, std::string start, absl::string_view limit) {
  comparator->FindShortestSeparator(&start, limit);
  return start;
}

std::string Successor(const Comparator* comparator, std::string key) {
  comparator->FindShortSuccessor(&key);
  return key;
}

struct SeparatorCase {
  const char* name;
  const char* start;  // hex, like the others
  const char* limit;
  const char* separator;
};

// The answers of LevelDB's BytewiseComparator; the bytes of an index block depend on them.
const SeparatorCase kSeparatorCases[] = {
    {"RaisesTheFirstDifference", "616263", "61627a7a", "616264"},  // abc, abzz -> abd
    {"NeedsAGapOfTwo", "616263", "616264", "616263"},              // abc, abd -> abc
    {"TakesAGapOfTwo", "616263", "616265", "616264"},              // abc, abe -> abd
    {"LeavesAPrefixOfTheLimit", "6162", "616263", "6162"},         // ab, abc -> ab
    {"DropsTheRest", "616263646566", "6162637a7a7a", "61626365"},  // abcdef, abczzz -> abce
    {"LooksNoFurtherThanTheFirst", "61ff62", "62", "61ff62"},      // a ff b, b
    {"RaisesBeforeAnFf", "61ff62", "63", "62"},                    // a ff b, c -> b
    {"CannotRaiseAnFe", "61fe62", "61ff62", "61fe62"},             // raised fe is the limit's ff
    {"RaisesAsUnsigned", "7f61", "8161", "80"},
    {"LeavesTheEmptyKey", "", "61", ""},
    {"LeavesEqualKeys", "616263", "616263", "616263"},
    {"LeavesAStartAboveTheLimit", "64656667", "61", "64656667"},
    {"LeavesAnExtensionOfTheLimit", "616263", "6162", "616263"},
};

class SeparatorTest : public testing::TestWithParam<SeparatorCase> {
 protected:
  std::string start() const { return FromHex(GetParam().start); }
  std::string limit() const { return FromHex(GetParam().limit); }
};

TEST_P(SeparatorTest, IsLevelDbs) {
  EXPECT_EQ(ToHex(Separator(BytewiseComparator(), start(), limit())), GetParam().separator);
}

TEST_P(SeparatorTest, IsTheStartItselfInReverse) {
  EXPECT_EQ(Separator(ReverseBytewiseComparator(), start(), limit()), start());
  EXPECT_EQ(Separator(ReverseBytewiseComparator(), limit(), start()), limit());
}

INSTANTIATE_TEST_SUITE_P(Keys, SeparatorTest, testing::ValuesIn(kSeparatorCases),
                         [](const auto& info) { return info.param.name; });

struct SuccessorCase {
  const char* name;
  const char* key;  // hex, like the other
  const char* successor;
};

class SuccessorTest : public testing::TestWithParam<SuccessorCase> {};

TEST_P(SuccessorTest, IsLevelDbs) {
  const std::string key = FromHex(GetParam().key);
  EXPECT_EQ(ToHex(Successor(BytewiseComparator(), key)), GetParam().successor);
}

TEST_P(SuccessorTest, IsTheKeyItselfInReverse) {
  const std::string key = FromHex(GetParam().key);
  EXPECT_EQ(Successor(ReverseBytewiseComparator(), key), key);
}

INSTANTIATE_TEST_SUITE_P(Keys, SuccessorTest,
                         testing::ValuesIn<SuccessorCase>({{"RaisesTheFirstByte", "616263", "62"},
                                                           {"LeavesFfs", "ffff", "ffff"},
                                                           {"PassesOverFfs", "ff61", "ff62"},
                                                           {"RaisesAnFe", "fe00", "ff"},
                                                           {"RaisesAsUnsigned", "7f", "80"},
                                                           {"LeavesTheEmptyKey", "", ""}}),
                         [](const auto& info) { return info.param.name; });

TEST(ComparatorTest, ComparesBytesAsUnsigned) {
  // In ascending order.
  const std::vector<std::string> keys = {
      "",        std::string(1, '\0'), std::string(2, '\0'), "a", "ab", "b", "\x7f", "\x80", "\xff",
      "\xff\xff"};
  for (size_t i = 0; i < keys.size(); ++i) {
    for (size_t j = 0; j < keys.size(); ++j) {
      const int order = (i > j) - (i < j);
      EXPECT_EQ(Sign(BytewiseComparator()->Compare(keys[i], keys[j])), order) << i << " " << j;
      EXPECT_EQ(Sign(ReverseBytewiseComparator()->Compare(keys[i], keys[j])), -order);
    }
  }
}

TEST(ComparatorTest, HasTheNameThatOthersStoreInAManifest) {
  EXPECT_EQ(BytewiseComparator()->Name(), "leveldb.BytewiseComparator");
  EXPECT_EQ(ReverseBytewiseComparator()->Name(), "rocksdb.ReverseBytewiseComparator");
}

// All strings of up to `max_size` bytes from `alphabet`.
std::vector<std::string> AllStrings(absl::string_view alphabet, size_t max_size) {
  std::vector<std::string> all = {""};
  for (size_t done = 0, size = 0; size < max_size; ++size) {
    const size_t end = all.size();
    for (; done < end; ++done) {
      for (char c : alphabet) all.push_back(absl::StrCat(all[done], std::string(1, c)));
    }
  }
  return all;
}

TEST(ComparatorTest, ShortensAsLevelDbDoes) {
  const leveldb::Comparator* const oracle = leveldb::BytewiseComparator();
  const auto keys = AllStrings(absl::string_view("\0\1\x02\x7f\x80\xfe\xff", 7), 3);
  for (const std::string& start : keys) {
    std::string expected = start;
    oracle->FindShortSuccessor(&expected);
    ASSERT_EQ(Successor(BytewiseComparator(), start), expected) << ToHex(start);
    for (const std::string& limit : keys) {
      const int order = oracle->Compare(start, limit);
      ASSERT_EQ(Sign(BytewiseComparator()->Compare(start, limit)), Sign(order));
      if (order >= 0) continue;
      expected = start;
      oracle->FindShortestSeparator(&expected, limit);
      ASSERT_EQ(Separator(BytewiseComparator(), start, limit), expected)
          << ToHex(start) << " " << ToHex(limit);
    }
  }
}

TEST(ComparatorTest, SeparatesAndSucceedsWithinTheBounds) {
  constexpr uint64_t kSeed = 1;
  Rng rng(kSeed);
  int shortened = 0;
  for (const Comparator* comparator : {BytewiseComparator(), ReverseBytewiseComparator()}) {
    for (int i = 0; i < 20000; ++i) {
      std::string start = RandomBytesOf(rng, RandomUpTo(rng, 6), "abz\xfe\xff");
      std::string limit = RandomBytesOf(rng, RandomUpTo(rng, 6), "abz\xfe\xff");
      if (comparator->Compare(start, limit) == 0) continue;
      if (comparator->Compare(start, limit) > 0) std::swap(start, limit);
      SCOPED_TRACE(absl::StrCat("seed ", kSeed, ": ", ToHex(start), " ", ToHex(limit)));
      const std::string separator = Separator(comparator, start, limit);
      ASSERT_LE(comparator->Compare(start, separator), 0);
      ASSERT_LT(comparator->Compare(separator, limit), 0);
      ASSERT_LE(separator.size(), start.size());
      const std::string successor = Successor(comparator, start);
      ASSERT_LE(comparator->Compare(start, successor), 0);
      ASSERT_LE(successor.size(), start.size());
      shortened += separator.size() < start.size();
    }
  }
  EXPECT_GT(shortened, 1000);
}

// Uses a comparator when the program ends, after all statics made later are destroyed.
struct UsesComparatorsAtExit {
  ~UsesComparatorsAtExit() {
    if (!active) return;
    const bool alive = BytewiseComparator()->Compare("a", "b") < 0 &&
                       ReverseBytewiseComparator()->Compare("a", "b") > 0;
    std::_Exit(alive ? 7 : 1);
  }
  bool active = false;
};

TEST(ComparatorDeathTest, LivesAsLongAsTheProgram) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        static UsesComparatorsAtExit user;  // made first, so destroyed last
        user.active = true;
        BytewiseComparator();
        ReverseBytewiseComparator();
        std::exit(0);
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace sstable::test
