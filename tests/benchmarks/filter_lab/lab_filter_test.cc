#include "benchmarks/filter_lab/lab_filter.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "benchmarks/workload.h"
#include "filter/bloom.h"
#include "gtest/gtest.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"

namespace sstable::bench {
namespace {

std::vector<std::string> Keys(size_t count) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < count; ++i) keys.push_back(absl::StrCat("key ", i));
  return keys;
}

TEST(LabFilterTest, RotatedProbesOfLevelDbsHashGiveTheLibrarysFilter) {
  const std::vector<std::string> keys = Keys(1000);
  const std::vector<absl::string_view> views(keys.begin(), keys.end());
  std::string expected;
  NewBloomFilterPolicy(10)->CreateFilter(views, &expected);
  LabFilter filter(10 * keys.size(), 6);
  for (const std::string& key : keys) filter.Add(RotatedProbes{BloomKeyHash(key)});
  EXPECT_EQ(filter.bits() + '\6', expected);
}

TEST(LabFilterTest, DoubleProbesAddTheUpperHalfToTheLower) {
  const DoubleProbes probes{0x00000005'fffffffe};
  EXPECT_EQ(probes(0), 0xfffffffe);
  EXPECT_EQ(probes(3), uint64_t{0xfffffffe} + 15);
}

TEST(LabFilterTest, IndependentProbesHaveAHashEachOfWhichTheFirstIsTheLibrarys) {
  const IndependentProbes probes{"0000000000000002"};
  EXPECT_EQ(probes(0), 0xc92f58365c1c3ed2);  // as in docs/filter_block.md
  EXPECT_EQ(probes(0), TableFilterHash(probes.key));
  EXPECT_NE(probes(1), probes(0));
}

template <typename Probes>
void ExpectAllContained(const std::vector<Probes>& keys) {
  LabFilter filter(4 * keys.size(), 3);
  for (const Probes& probes : keys) filter.Add(probes);
  for (const Probes& probes : keys) EXPECT_TRUE(filter.MayContain(probes));
}

TEST(LabFilterTest, NoKeyIsLostWhateverItsProbes) {
  const std::vector<std::string> keys = Keys(200);
  std::vector<IndependentProbes> independent;
  std::vector<DoubleProbes> doubled;
  std::vector<RotatedProbes> rotated;
  for (const std::string& key : keys) {
    independent.push_back({key});
    doubled.push_back({TableFilterHash(key)});
    rotated.push_back({BloomKeyHash(key)});
  }
  ExpectAllContained(independent);
  ExpectAllContained(doubled);
  ExpectAllContained(rotated);
  EXPECT_FALSE(LabFilter(64, 1).MayContain(doubled[0]));
}

}  // namespace
}  // namespace sstable::bench
