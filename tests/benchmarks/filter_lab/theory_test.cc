#include "benchmarks/filter_lab/theory.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace sstable::bench {
namespace {

// Computes a filter's rate by enumerating all outcomes of the probes of its keys and of one absent
// key: bits^(probes * (keys + 1)) outcomes.
double RateOfAllWays(const FilterSize& size) {
  const uint64_t key_throws = size.keys * static_cast<uint64_t>(size.probes);
  const uint64_t throws = key_throws + static_cast<uint64_t>(size.probes);
  uint64_t ways = 1;
  for (uint64_t i = 0; i < throws; ++i) ways *= size.bits;
  uint64_t passed = 0;
  for (uint64_t way = 0; way < ways; ++way) {
    uint64_t rest = way;
    uint64_t set = 0;
    bool passes = true;
    for (uint64_t i = 0; i < throws; ++i, rest /= size.bits) {
      const uint64_t bit = uint64_t{1} << rest % size.bits;
      if (i < key_throws) set |= bit;
      passes &= i < key_throws || (set & bit) != 0;
    }
    passed += passes;
  }
  return static_cast<double>(passed) / static_cast<double>(ways);
}

TEST(TheoryTest, ExactRateIsThatOfAllWaysInWhichProbesCanFall) {
  const std::vector<FilterSize> sizes = {{0, 3, 1}, {1, 2, 1}, {1, 3, 2}, {2, 3, 2},
                                         {3, 4, 1}, {3, 4, 2}, {2, 5, 2}, {1, 7, 3}};
  for (const FilterSize& size : sizes) {
    EXPECT_NEAR(ExactBloomRate(size), RateOfAllWays(size), 1e-12)
        << size.keys << " keys, " << size.bits << " bits, " << size.probes << " probes";
  }
}

TEST(TheoryTest, TextbookRateIsBelowTheExactOneAndNearItInLargeFilters) {
  const std::vector<FilterSize> sizes = {{20, 200, 6}, {200, 2000, 6}, {1000, 10000, 6}};
  double difference = 1;
  for (const FilterSize& size : sizes) {
    const double relative = 1 - BloomRate(size) / ExactBloomRate(size);
    EXPECT_GT(relative, 0) << size.keys;
    EXPECT_LT(relative, difference / 3) << size.keys;
    difference = relative;
  }
  EXPECT_LT(difference, 0.01);
}

TEST(TheoryTest, BlockedRateIsTheMeanOverAllWaysInWhichKeysFallIntoLines) {
  constexpr uint64_t kKeys = 7;
  constexpr uint64_t kLines = 3;
  constexpr int kProbes = 2;
  constexpr uint64_t kWays = 3 * 3 * 3 * 3 * 3 * 3 * 3;
  double expected = 0;  // for an absent key in the first line
  for (uint64_t way = 0; way < kWays; ++way) {
    uint64_t rest = way;
    uint64_t in_first = 0;
    for (uint64_t key = 0; key < kKeys; ++key, rest /= kLines) in_first += rest % kLines == 0;
    expected += ExactBloomRate({in_first, 512, kProbes}) / kWays;
  }
  EXPECT_NEAR(BlockedBloomRate(kKeys, kLines, kProbes), expected, 1e-12);
}

TEST(TheoryTest, BlockedRateIsThatOfItsOnlyLineAndAboveThatOfOneFilter) {
  EXPECT_EQ(BlockedBloomRate(50, 1, 6), ExactBloomRate({50, 512, 6}));
  EXPECT_GT(BlockedBloomRate(51'200, 1000, 6), BloomRate({51'200, 512'000, 6}) * 1.1);
}

TEST(TheoryTest, Ln2TimesBitsPerKeyProbesHaveTheLowestRate) {
  for (const uint64_t bits_per_key : {4, 8, 10, 16, 24}) {
    int best = 1;
    for (int probes = 2; probes <= 30; ++probes) {
      if (BloomRate({1, bits_per_key, probes}) < BloomRate({1, bits_per_key, best})) best = probes;
    }
    EXPECT_NEAR(std::log(2.0) * static_cast<double>(bits_per_key), best, 0.5) << bits_per_key;
  }
}

TEST(TheoryTest, BloomFilterTakes1Point44TimesTheLeastBits) {
  // The ideal number of probes is ln 2 * bits per key: 7 at 10.1 bits per key.
  EXPECT_NEAR(10.1 / LeastBitsPerKey(BloomRate({10, 101, 7})), 1 / std::log(2.0), 1e-4);
  EXPECT_EQ(LeastBitsPerKey(1.0 / 256), 8);
}

}  // namespace
}  // namespace sstable::bench
