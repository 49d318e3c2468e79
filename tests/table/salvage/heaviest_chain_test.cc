#include "table/salvage/heaviest_chain.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"

namespace sstable::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const KeyOrder& PlainOrder() {
  static const KeyOrder order(BytewiseComparator(), KeyKind::kPlain);
  return order;
}

// first key, last key, own bytes, all bytes
struct KeyRun {
  std::string first_key, last_key;
  uint64_t own_size, size;
};

std::vector<size_t> Chain(const std::vector<KeyRun>& of_runs) {
  std::vector<BlockRun> runs;
  for (const KeyRun& run : of_runs) {
    runs.push_back({run.first_key, run.last_key, run.own_size, run.size});
  }
  return FindHeaviestChain(runs, PlainOrder());
}

TEST(HeaviestChainTest, TakesTheHeavierOfRunsThatOverlap) {
  EXPECT_THAT(Chain({}), IsEmpty());
  EXPECT_THAT(Chain({{"a", "c", 0, 10}}), ElementsAre(0));
  EXPECT_THAT(Chain({{"a", "c", 0, 10}, {"b", "d", 0, 11}, {"e", "e", 0, 1}}), ElementsAre(1, 2));
  // Keys ascend strictly, and in the order of the file.
  EXPECT_THAT(Chain({{"a", "c", 0, 10}, {"c", "d", 0, 9}}), ElementsAre(0));
  EXPECT_THAT(Chain({{"e", "f", 0, 10}, {"a", "b", 0, 9}}), ElementsAre(0));
}

TEST(HeaviestChainTest, TakesAsMuchAsItCanOfWhatIsSurelyOwn) {
  EXPECT_THAT(Chain({{"a", "b", 1, 1}, {"b", "z", 0, 100}, {"c", "d", 1, 1}}), ElementsAre(0, 2));
  EXPECT_THAT(Chain({{"a", "b", 1, 1}, {"c", "x", 0, 100}, {"y", "z", 1, 1}}),
              ElementsAre(0, 1, 2));
}

TEST(HeaviestChainTest, IsAsHeavyAsTheHeaviestOfAllSelections) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<KeyRun> runs(random() % 9);
    for (KeyRun& run : runs) {
      const char a = static_cast<char>('a' + random() % 12),
                 b = static_cast<char>(a + random() % 4);
      run.first_key = std::string(1, a);
      run.last_key = std::string(1, b);
      run.size = 1 + random() % 10;
      run.own_size = random() % 4 == 0 ? run.size : 0;
    }
    // The weight of a selection, given as a mask; nothing if its keys don't ascend.
    const auto weight = [&runs](unsigned mask) {
      std::pair<uint64_t, uint64_t> sum = {0, 0};
      const KeyRun* last = nullptr;
      for (size_t i = 0; i < runs.size(); ++i) {
        if ((mask >> i & 1) == 0) continue;
        if (last != nullptr && last->last_key >= runs[i].first_key)
          return std::pair<uint64_t, uint64_t>();
        last = &runs[i];
        sum = {sum.first + last->own_size, sum.second + last->size};
      }
      return sum;
    };
    std::pair<uint64_t, uint64_t> heaviest = {0, 0};
    for (unsigned mask = 0; mask < 1u << runs.size(); ++mask) {
      heaviest = std::max(heaviest, weight(mask));
    }
    unsigned chain = 0;
    for (const size_t i : Chain(runs)) chain |= 1u << i;
    EXPECT_EQ(weight(chain), heaviest);
  }
}

}  // namespace
}  // namespace sstable::test
