#include "sstable/experimental/filter_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "sstable/check.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/inspect/murmur3.h"
#include "tests/support/random_bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {
namespace {

FilterReport Measure(const TableBuilderOptions& options, const Entries& entries,
                     const FilterProbes& probes, KeyTrust keys = KeyTrust::kOrdered) {
  auto bytes = BuildTable(options, entries);
  EXPECT_OK(bytes);
  auto reader = TableReader::Open(NewMemoryFile(*std::move(bytes)));
  EXPECT_OK(reader);
  FilterReport report = MeasureFilter(**reader, probes, keys);
  EXPECT_OK(report.status);
  EXPECT_OK(report.scan_status);
  EXPECT_EQ(report.false_negatives, 0);
  return report;
}

// Returns entries whose keys are even numbers of 16 digits.
Entries EvenNumbers(int count) {
  Entries entries;
  for (int i = 0; i < count; ++i) {
    entries.emplace_back(absl::StrFormat("%016d", 2 * i), std::string(100, 'v'));
  }
  return entries;
}

Entries RandomEntries(Rng& rng, size_t count, size_t key_size, size_t value_size) {
  Entries entries;
  for (size_t i = 0; i < count; ++i) {
    entries.emplace_back(RandomBytes(rng, key_size), std::string(value_size, 'v'));
  }
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  return entries;
}

TEST(Murmur3Test, HasStarRocksValues) {
  for (const auto& [key, hash] : std::vector<std::pair<absl::string_view, uint32_t>>{
           {"", 0x3f177186}, {"a", 0x6dba6b55}, {"abcd", 0x3bf97d00}, {"hello", 0xdef78c91}}) {
    EXPECT_EQ(Murmur3(key, 0xbc9f1d34), hash) << key;
  }
}

TEST(FilterRateTest, HasWilsonsInterval) {
  // The expected values are from published tables: 10 of 100, 0 of 10, none tested.
  const FilterRate::Interval ten = FilterRate{100, 10}.Interval95();
  EXPECT_NEAR(ten.low, 0.0552, 0.0001);
  EXPECT_NEAR(ten.high, 0.1744, 0.0001);
  const FilterRate::Interval none = FilterRate{10, 0}.Interval95();
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.2775, 0.0001);
  EXPECT_EQ(FilterRate().Interval95().low, 0);
  EXPECT_EQ(FilterRate().Interval95().high, 1);
}

TEST(FilterReportTest, NeighboursOfNumbersPassMoreOftenThanRandomKeys) {
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.compression = Compression::kNone;
  options.filter_policy = policy.get();
  options.block_restart_interval = 4;
  const FilterReport report = Measure(options, EvenNumbers(20000), {});
  EXPECT_GT(report.neighbours.tested, 15000);  // the odd numbers between two keys of the same block
  EXPECT_LT(report.neighbours.tested, 20000);
  EXPECT_GT(report.neighbours.Rate(), 0.3);
  EXPECT_LT(report.random.Rate(), 0.01);
}

TEST(FilterReportTest, NeighboursAreNotAskedForInAnUnknownOrder) {
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.filter_policy = policy.get();
  EXPECT_EQ(Measure(options, EvenNumbers(100), {}, KeyTrust::kUnordered).neighbours.tested, 0);
}

TEST(FilterReportTest, NumbersWithoutGapsHaveNoNeighbours) {
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.filter_policy = policy.get();
  Entries entries;
  for (char c = '0'; c <= '9'; ++c) entries.emplace_back(std::string(1, c), "v");
  EXPECT_EQ(Measure(options, entries, {}).neighbours.tested, 0);
}

TEST(FilterReportTest, GivenKeysArePresentOrAsked) {
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.filter_policy = policy.get();
  const FilterReport report =
      Measure(options, EvenNumbers(10), {0, {absl::StrFormat("%016d", 2), "0", "2", "absent"}});
  EXPECT_EQ(report.given_present, 1);
  EXPECT_EQ(report.given.tested, 1);  // "2" and "absent" are above the last index key
  EXPECT_EQ(report.random.tested, 0);
}

TEST(FilterReportTest, TheExpectedRateIsThatOfLevelDbsProbesInSmallAndLargeFilters) {
  // The rate predicted from the set bits alone would be too low for a small filter, and half the
  // actual rate for a large one.
  for (const int base_lg : {8, 11, 16, 63}) {
    Rng rng(20260101 + base_lg);
    const auto policy = NewBloomFilterPolicy(10);
    TableBuilderOptions options;
    options.compression = Compression::kNone;
    options.filter_policy = policy.get();
    options.filter_base_lg = base_lg;
    const FilterReport report = Measure(options, RandomEntries(rng, 20000, 12, 40), {1000000, {}});
    const double expected = report.expected_rate;
    const double deviation =
        std::sqrt(expected / static_cast<double>(report.random.tested) * (1 + 1.0 / 16));
    EXPECT_NEAR(report.random.Rate(), expected, 4 * deviation) << "base lg " << base_lg;
  }
}

TEST(FilterReportTest, APolicyForARateKeepsIt) {
  constexpr double kRates[] = {0.1, 0.03, 0.01, 0.003, 0.001};
  for (int i = 0; i < 100; ++i) {
    Rng rng(i);
    const double rate = kRates[i % 5];
    const auto policy = NewBloomFilterPolicyForRate(rate);
    TableBuilderOptions options;
    options.compression = RandomUpTo(rng, 1) == 0 ? Compression::kNone : Compression::kSnappy;
    options.filter_policy = policy.get();
    options.block_size = 256 << RandomUpTo(rng, 8);
    options.filter_base_lg = static_cast<int>(11 + RandomUpTo(rng, 5));
    const size_t count = 3000 + RandomUpTo(rng, 20000);
    const FilterReport report =
        Measure(options, RandomEntries(rng, count, 4 + RandomUpTo(rng, 30), RandomUpTo(rng, 200)),
                {50000, {}});
    // `expected_rate` must agree with the rate measured with more keys.
    EXPECT_NEAR(report.expected_rate, rate, 0.15 * rate)
        << "table " << i << ", block size " << options.block_size << ", base lg "
        << options.filter_base_lg << ", " << count << " keys, "
        << static_cast<double>(report.bits) / static_cast<double>(count) << " bits per key";
    EXPECT_NEAR(report.random.Rate(), report.expected_rate, 5 * std::sqrt(rate / 50000));
  }
}

}  // namespace
}  // namespace sstable::test
