#include "db/salvage/table_order.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"

namespace sstable {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

NewTable Table(uint64_t number, const std::string& first, const std::string& last,
               uint64_t last_sequence) {
  NewTable table;
  table.number = number;
  table.smallest = MakeInternalKey(first, last_sequence, ValueType::kValue);
  table.largest = MakeInternalKey(last, 1, ValueType::kValue);
  table.last_sequence = last_sequence;
  return table;
}

std::vector<int> Levels(const std::vector<NewTable>& tables) {
  std::vector<int> levels;
  for (const NewTable& table : tables) levels.push_back(table.level.value_or(-1));
  return levels;
}

TEST(ArrangeLevelsTest, PutsTablesThatDoNotOverlapOnTheHighestLevel) {
  std::vector<NewTable> tables = {Table(1, "a", "b", 9), Table(2, "c", "d", 5)};
  EXPECT_THAT(ArrangeLevels({}, *BytewiseComparator(), &tables), IsEmpty());
  EXPECT_THAT(Levels(tables), ElementsAre(6, 6));
}

TEST(ArrangeLevelsTest, PutsANewerTableAboveEachThatItOverlaps) {
  // tables[2] is newer than tables[0], although its last sequence is lower.
  std::vector<NewTable> tables = {Table(1, "a", "m", 90), Table(2, "x", "z", 10),
                                  Table(3, "k", "y", 20)};
  EXPECT_THAT(ArrangeLevels({{2, 0}, {2, 1}}, *BytewiseComparator(), &tables), IsEmpty());
  EXPECT_THAT(Levels(tables), ElementsAre(6, 6, 5));
}

TEST(ArrangeLevelsTest, TreatsASharedBoundKeyAsOverlap) {
  std::vector<NewTable> tables = {Table(1, "a", "k", 9), Table(2, "k", "z", 5)};
  EXPECT_THAT(ArrangeLevels({{0, 1}}, *BytewiseComparator(), &tables), IsEmpty());
  EXPECT_THAT(Levels(tables), ElementsAre(5, 6));
}

TEST(ArrangeLevelsTest, ReturnsThoseOfLevel0OldestFirst) {
  std::vector<NewTable> tables;
  NewerThan newer;
  for (size_t i = 0; i < 9; ++i) {
    tables.push_back(Table(9 - i, "a", "z", 100 * (i + 1)));
    if (i > 0) newer.emplace(i, i - 1);
  }
  EXPECT_THAT(ArrangeLevels(newer, *BytewiseComparator(), &tables), ElementsAre(6, 7, 8));
  EXPECT_THAT(Levels(tables), ElementsAre(6, 5, 4, 3, 2, 1, 0, 0, 0));
}

TEST(FindCyclesTest, FindsNoneWhereThereIsAnOrder) {
  EXPECT_THAT(FindCycles(4, {{0, 1}, {1, 2}, {0, 2}, {3, 2}}), IsEmpty());
}

TEST(FindCyclesTest, FindsEachGroupThatHasNoOrder) {
  EXPECT_THAT(FindCycles(6, {{0, 1}, {1, 0}, {1, 2}, {2, 3}, {3, 4}, {4, 2}, {5, 0}}),
              UnorderedElementsAre(UnorderedElementsAre(0, 1), UnorderedElementsAre(2, 3, 4)));
}

class LevelsFitTest : public testing::Test {
 protected:
  LevelsFitTest() : tables_({Table(5, "a", "m", 90), Table(3, "c", "z", 10)}) {}

  bool Fit(int first, int second, const NewerThan& newer = {{0, 1}}) {
    tables_[0].level = first;
    tables_[1].level = second;
    return LevelsFit(tables_, newer, *BytewiseComparator());
  }

  std::vector<NewTable> tables_;
};

TEST_F(LevelsFitTest, WantsNewerTablesFirst) {
  EXPECT_TRUE(Fit(0, 1));
  EXPECT_TRUE(Fit(1, 2));
  EXPECT_FALSE(Fit(2, 1));
  EXPECT_TRUE(Fit(0, 0));
  EXPECT_FALSE(Fit(0, 0, {{1, 0}})) << "in level 0 a higher number is newer";
}

TEST_F(LevelsFitTest, WantsNoOverlapAboveLevel0) { EXPECT_FALSE(Fit(1, 1, {})); }

TEST_F(LevelsFitTest, WantsLevelsOfLevelDb) {
  EXPECT_FALSE(Fit(0, 7));
  tables_[1].level.reset();
  EXPECT_FALSE(LevelsFit(tables_, {}, *BytewiseComparator()));
}

TEST_F(LevelsFitTest, TakesVersionsOfAKeyInNeighboursOfALevel) {
  tables_[0].largest = MakeInternalKey("m", 50, ValueType::kValue);
  tables_[1].smallest = MakeInternalKey("m", 40, ValueType::kValue);
  EXPECT_TRUE(Fit(1, 1));
  EXPECT_FALSE(Fit(1, 1, {{1, 0}}));
}

}  // namespace
}  // namespace sstable
