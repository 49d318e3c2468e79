// Filters that also say where keys are.
#include "filter/locate_filter.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/filter_policy.h"
#include "tests/support/random_bytes.h"
#include "tests/support/status_matchers.h"

namespace sstable {
namespace {

using ::sstable::test::ExactCopy;
using ::sstable::test::StatusIs;
using ::testing::HasSubstr;

// Keys in runs of 16, with the place of each.
struct Keys {
  std::vector<uint64_t> hashes;
  std::vector<KeyPlaces::Run> runs;
  uint64_t place_limit;

  uint64_t PlaceOf(size_t i) const { return runs[i / 16].place; }
  KeyPlaces places() const { return {runs, place_limit, 16}; }
};

Keys RandomKeys(size_t count, uint64_t place_limit, uint64_t seed) {
  test::Rng rng(seed);
  Keys keys;
  keys.place_limit = place_limit;
  for (size_t i = 0; i < count; ++i) {
    keys.hashes.push_back(rng());
    if (i % 16 == 0) keys.runs.push_back({i, test::RandomUpTo(rng, place_limit - 1)});
  }
  return keys;
}

std::string Create(const Keys& keys) {
  std::string filter;
  NewLocatePolicy()->CreateLocateFilter(keys.hashes, keys.places(), &filter);
  return filter;
}

std::unique_ptr<const TableFilter> Parse(const std::string& bytes) {
  auto filter = NewLocatePolicy()->Parse(bytes);
  EXPECT_OK(filter);
  return *std::move(filter);
}

class LocateFilterTest : public testing::TestWithParam</*place_limit*/ uint64_t> {};

TEST_P(LocateFilterTest, HasThePlaceOfEveryKey) {
  for (const size_t count : {1, 2, 10, 11, 12, 13, 30, 100, 1000, 100000}) {
    const Keys keys = RandomKeys(count, GetParam(), count);
    const std::string bytes = Create(keys);
    const auto filter = Parse(bytes);
    ASSERT_NE(filter->locate(), nullptr);
    EXPECT_EQ(filter->locate()->max_run_entries(), 16);
    for (size_t i = 0; i < count; ++i) {
      filter->Prefetch(keys.hashes[i]);
      ASSERT_TRUE(filter->MayMatch(keys.hashes[i])) << count << " keys";
      ASSERT_TRUE(filter->MayBeAt(keys.hashes[i], keys.PlaceOf(i))) << count << " keys";
      EXPECT_FALSE(filter->MayBeAt(keys.hashes[i], GetParam())) << "no key is there";
    }
  }
}

TEST_P(LocateFilterTest, IsAppendedBehindWhatIsThere) {
  const Keys keys = RandomKeys(100, GetParam(), 1);
  std::string bytes = "abc";
  NewLocatePolicy()->CreateLocateFilter(keys.hashes, keys.places(), &bytes);
  EXPECT_EQ(bytes, "abc" + Create(keys));
}

// Each is refused, or can be asked without reading outside, in bounded time.
TEST_P(LocateFilterTest, SurvivesDamage) {
  const Keys keys = RandomKeys(40, GetParam(), 1);
  const std::string bytes = Create(keys);
  const auto ask = [&](const std::string& damaged) {
    const ExactCopy copy(damaged);
    const auto filter = NewLocatePolicy()->Parse(copy.view());
    if (!filter.ok()) {
      EXPECT_EQ(filter.status().code(), absl::StatusCode::kDataLoss);
      return;
    }
    for (const uint64_t hash : keys.hashes) {
      (*filter)->Prefetch(hash);
      static_cast<void>((*filter)->MayBeAt(hash, 0));
    }
  };
  for (size_t size = 0; size < bytes.size(); ++size) ask(bytes.substr(0, size));
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int byte : {0, 1, 0x7f, 0x80, 0xff, bytes[i] ^ 1}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(byte);
      ask(damaged);
    }
  }
  ask(std::string(bytes.size() - 1, '\xff') + "\x20");
}

INSTANTIATE_TEST_SUITE_P(PlaceLimits, LocateFilterTest,
                         testing::Values(1, 2, 1000, uint64_t{1} << 30, uint64_t{1} << 32,
                                         (uint64_t{1} << 32) + 1, uint64_t{1} << 40));

struct RateCase {
  uint64_t place_limit;
  double max_bits_per_key;
  double max_rate;
};
TEST(LocateFilterRateTest, FewAbsentKeysPass) {
  constexpr size_t kKeys = 200000, kProbes = 2000000;
  for (const RateCase& expected :
       {RateCase{uint64_t{1} << 20, 50.1, 0.00001}, RateCase{uint64_t{1} << 27, 50.1, 0.0008},
        RateCase{uint64_t{1} << 30, 50.1, 0.0060}, RateCase{uint64_t{1} << 32, 50.1, 0.0240},
        RateCase{uint64_t{1} << 36, 60.1, 0.0015}}) {
    const std::string bytes = Create(RandomKeys(kKeys, expected.place_limit, 1));
    const auto filter = Parse(bytes);
    size_t passed = 0;
    test::Rng rng(2);
    for (size_t i = 0; i < kProbes; ++i) passed += filter->MayMatch(rng());
    EXPECT_LE(static_cast<double>(passed) / kProbes, expected.max_rate) << expected.place_limit;
    EXPECT_LE(8.0 * static_cast<double>(bytes.size()) / kKeys, expected.max_bits_per_key);
  }
}

TEST(LocateFilterTest, DependsOnKeysAndPlacesOnly) {
  const Keys keys = RandomKeys(50000, 1 << 20, 1);
  EXPECT_EQ(Create(keys), Create(keys));
}

TEST(LocateFilterTest, KeysWithEqualHashesAllHaveTheirPlace) {
  Keys keys = RandomKeys(300, 1 << 20, 1);
  for (size_t i = 0; i < keys.hashes.size(); ++i) keys.hashes[i] = i % 3;
  const std::string bytes = Create(keys);
  const auto filter = Parse(bytes);
  for (size_t i = 0; i < keys.hashes.size(); ++i) {
    EXPECT_TRUE(filter->MayBeAt(keys.hashes[i], keys.PlaceOf(i)));
  }
}

// Of these, lookups go by the index.
TEST(LocateFilterTest, WithoutLinesEveryKeyMayMatch) {
  std::vector<std::string> filters(3);
  // Without places.
  std::vector<uint64_t> hashes = {1, 2, 3};
  NewLocatePolicy()->CreateFilter(absl::MakeSpan(hashes), &filters[0]);
  // Too many keys for the lines that a lookup reads.
  Keys alike = RandomKeys(5000, 1 << 20, 1);
  for (size_t i = 0; i < alike.hashes.size(); ++i) alike.hashes[i] = i;
  filters[1] = Create(alike);
  // Places that have no room in a slot.
  filters[2] = Create(RandomKeys(100, (uint64_t{1} << 40) + 1, 1));
  for (const std::string& bytes : filters) {
    EXPECT_EQ(bytes, std::string(5, '\0'));
    const auto filter = Parse(bytes);
    EXPECT_EQ(filter->locate(), nullptr);
    EXPECT_TRUE(filter->MayMatch(1));
  }
}

TEST(LocateFilterTest, MalformedOnesAreRefused) {
  const std::string bytes = Create(RandomKeys(10, 1 << 20, 1));
  const auto policy = NewLocatePolicy();
  EXPECT_THAT(policy->Parse(bytes.substr(1)),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("locate filter has 68 bytes")));
  for (const char place_bits : {0, 41, -1}) {
    EXPECT_THAT(policy->Parse(bytes.substr(0, bytes.size() - 1) + place_bits),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("1 to 40")));
  }
  EXPECT_THAT(policy->Parse(bytes.substr(0, 64) + std::string(4, '\0') + "\x14"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("runs of 0 entries")));
}

TEST(RunPlaceTest, IsTheOffsetInTheFileOrTheRestartPoint) {
  EXPECT_EQ(RunPlace(4000, 300, /*is_raw=*/true, 2, 120), 4120);
  EXPECT_EQ(RunPlace(4000, 300, /*is_raw=*/false, 2, 120), 4002);
  EXPECT_EQ(RunPlace(4000, 300, /*is_raw=*/false, 301, 120), 4300);  // only the block
}

}  // namespace
}  // namespace sstable
