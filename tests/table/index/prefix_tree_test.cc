#include "table/index/prefix_tree.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace sstable {
namespace {

constexpr uint64_t kMax64 = std::numeric_limits<uint64_t>::max();

// Returns the numbers, their neighbours, and the extremes.
std::vector<uint64_t> Targets(const std::vector<uint64_t>& numbers) {
  std::vector<uint64_t> targets = {0, 1, uint64_t{1} << 63, kMax64 - 1, kMax64};
  for (uint64_t number : numbers) {
    for (uint64_t target : {number - 1, number, number + 1}) targets.push_back(target);
  }
  return targets;
}

void ExpectFindsLikeLowerBound(const std::vector<uint64_t>& sorted) {
  const PrefixTree tree(sorted);
  ASSERT_EQ(tree.size(), sorted.size());
  for (size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(tree[i], sorted[i]);
  const std::vector<uint64_t> targets = Targets(sorted);
  std::vector<size_t> places(targets.size());
  tree.LowerBounds(targets.data(), targets.size(), places.data());
  for (size_t i = 0; i < targets.size(); ++i) {
    const size_t expected =
        std::lower_bound(sorted.begin(), sorted.end(), targets[i]) - sorted.begin();
    ASSERT_EQ(tree.LowerBound(targets[i]), expected) << targets[i];
    ASSERT_EQ(places[i], expected) << targets[i];
  }
}

class PrefixTreeTest : public testing::TestWithParam<size_t> {};

TEST_P(PrefixTreeTest, FindsTheFirstNumberNotBelow) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> numbers(GetParam());
  for (uint64_t& number : numbers) number = random();
  std::sort(numbers.begin(), numbers.end());
  ExpectFindsLikeLowerBound(numbers);
}

TEST_P(PrefixTreeTest, FindsTheFirstOfEqualNumbers) {
  std::mt19937_64 random(2);
  std::vector<uint64_t> numbers(GetParam());
  for (uint64_t& number : numbers) number = random() % (1 + GetParam() / 5) * 1000;
  std::sort(numbers.begin(), numbers.end());
  ExpectFindsLikeLowerBound(numbers);
}

TEST_P(PrefixTreeTest, TakesTheSmallestAndTheLargestNumbers) {
  // The largest number also pads nodes.
  for (size_t zeros : {size_t{0}, GetParam() / 2, GetParam()}) {
    std::vector<uint64_t> numbers(zeros, 0);
    numbers.resize(GetParam(), kMax64);
    ExpectFindsLikeLowerBound(numbers);
  }
}

// Sizes near the limits of one, two and three layers of 16-way nodes.
INSTANTIATE_TEST_SUITE_P(Sizes, PrefixTreeTest,
                         testing::Values(0, 1, 2, 15, 16, 17, 31, 32, 33, 255, 256, 257, 272, 273,
                                         4095, 4096, 4097, 5000));

// Compares the portable kernel with this machine's on the same nodes.
TEST(PrefixTreeKernelsTest, GiveTheSamePlaces) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(absl::StrCat("round ", round));
    alignas(64) uint64_t root[16];
    alignas(64) uint64_t nodes[256];
    const uint64_t range = round % 2 == 0 ? kMax64 : 300;  // a small range has many equal numbers
    for (uint64_t& number : nodes) number = random() % range;
    std::sort(std::begin(nodes), std::end(nodes));
    for (size_t i = 0; i < 16; ++i) root[i] = nodes[16 * i + 15];
    root[15] = kMax64;
    const uint64_t* const layers[] = {root, nodes};
    const char records[256 * PrefixTree::kRecordSize] = {};

    std::vector<uint64_t> targets = Targets({std::begin(nodes), std::end(nodes)});
    std::vector<size_t> portable(targets.size()), best(targets.size());
    PortablePrefixTreeKernels().descend_many(layers, 2, targets.data(), targets.size(),
                                             portable.data());
    BestPrefixTreeKernels().descend_many(layers, 2, targets.data(), targets.size(), best.data());
    EXPECT_EQ(portable, best);
    for (size_t i = 0; i < targets.size(); ++i) {
      for (const PrefixTreeKernels& kernels :
           {PortablePrefixTreeKernels(), BestPrefixTreeKernels()}) {
        ASSERT_EQ(kernels.descend(layers, 2, targets[i]), portable[i]);
        ASSERT_EQ(kernels.descend_and_prefetch(layers, 2, targets[i], records), portable[i]);
      }
    }
  }
}

}  // namespace
}  // namespace sstable
