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

TEST(ComparatorTest, ComparesBytesAsUnsigned) {
  // These keys ascend.
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

// Returns all strings of up to `max_size` bytes from `alphabet`.
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
      ASSERT_EQ(Sign(BytewiseComparator()->Compare(start, limit)),
                Sign(oracle->Compare(start, limit)));
      expected = start;
      oracle->FindShortestSeparator(&expected, limit);
      ASSERT_EQ(Separator(BytewiseComparator(), start, limit), expected)
          << ToHex(start) << " " << ToHex(limit);
    }
  }
}

// LevelDB has no reverse comparator to compare with.
TEST(ComparatorTest, InReverseNothingIsShortened) {
  for (const char* const start : {"abc", "abzz", "", "\xff"}) {
    for (const char* const limit : {"abc", "b", ""}) {
      EXPECT_EQ(Separator(ReverseBytewiseComparator(), start, limit), start);
    }
    EXPECT_EQ(Successor(ReverseBytewiseComparator(), start), start);
  }
}

// Uses a comparator at exit, after all statics made later have been destroyed.
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
