// Tests filters for whole tables: blocked Bloom and binary fuse.
#include "sstable/experimental/table_filter.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sstable/filter_policy.h"
#include "tests/support/random_bytes.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

TEST(TableFilterHashTest, IsXxh3) {
  // The values are from xxHash's own self-test and from `xxhsum -H3`.
  EXPECT_EQ(TableFilterHash(""), 0x2d06800538d394c2);
  EXPECT_EQ(TableFilterHash("0000000000000042"), 0x991c42e3ae88d65c);
}

struct PolicyCase {
  const char* name;
  std::unique_ptr<const TableFilterPolicy> (*make)();
  double rate;              // for random absent hashes
  double max_bits_per_key;  // with 200,000 keys
};

class TableFilterTest : public testing::TestWithParam<PolicyCase> {
 protected:
  std::string Create(std::vector<uint64_t> hashes) const {
    std::string filter;
    policy_->CreateFilter(absl::MakeSpan(hashes), &filter);
    return filter;
  }
  static std::vector<uint64_t> RandomHashes(size_t count, uint64_t seed) {
    Rng rng(seed);
    std::vector<uint64_t> hashes(count);
    for (uint64_t& hash : hashes) hash = rng();
    return hashes;
  }

  const std::unique_ptr<const TableFilterPolicy> policy_ = GetParam().make();
};

TEST_P(TableFilterTest, LosesNoKey) {
  for (const size_t count : {0, 1, 2, 3, 4, 5, 7, 10, 30, 100, 1000, 5000, 70000, 300000}) {
    const std::vector<uint64_t> hashes = RandomHashes(count, count);
    const std::string bytes = Create(hashes);
    ASSERT_OK_AND_ASSIGN(const auto filter, policy_->Parse(bytes));
    for (const uint64_t hash : hashes) {
      filter->Prefetch(hash);
      ASSERT_TRUE(filter->MayMatch(hash)) << count << " keys";
    }
  }
}

TEST_P(TableFilterTest, LosesNoneOfEqualHashes) {
  for (const size_t count : {1, 10, 1000, 200000}) {
    std::vector<uint64_t> hashes = RandomHashes(count, count);
    for (size_t i = 0; i < count; i += 3) hashes.insert(hashes.end(), 3, hashes[i]);
    const std::string bytes = Create(hashes);
    ASSERT_OK_AND_ASSIGN(const auto filter, policy_->Parse(bytes));
    for (const uint64_t hash : hashes) ASSERT_TRUE(filter->MayMatch(hash)) << count;
  }
}

TEST_P(TableFilterTest, LosesNoneOfHashesThatAreAlike) {
  // Hashes all in one shard or line, or with few bits that differ.
  for (const uint64_t step : {uint64_t{1}, uint64_t{1} << 32, uint64_t{1} << 47}) {
    std::vector<uint64_t> hashes;
    for (uint64_t i = 0; i < 100000; ++i) hashes.push_back(i * step);
    const std::string bytes = Create(hashes);
    ASSERT_OK_AND_ASSIGN(const auto filter, policy_->Parse(bytes));
    for (const uint64_t hash : hashes) ASSERT_TRUE(filter->MayMatch(hash)) << step;
  }
}

TEST_P(TableFilterTest, LetsAsManyThroughAsItShould) {
  constexpr size_t kProbes = 2000000;
  for (const size_t count : {2000, 200000}) {
    const std::string bytes = Create(RandomHashes(count, 1));
    ASSERT_OK_AND_ASSIGN(const auto filter, policy_->Parse(bytes));
    size_t passed = 0;
    for (const uint64_t hash : RandomHashes(kProbes, 2)) passed += filter->MayMatch(hash);
    const double deviation = std::sqrt(GetParam().rate / kProbes);
    EXPECT_NEAR(static_cast<double>(passed) / kProbes, GetParam().rate,
                0.08 * GetParam().rate + 4 * deviation);
    if (count == 200000) {
      EXPECT_LE(8.0 * static_cast<double>(bytes.size()) / static_cast<double>(count),
                GetParam().max_bits_per_key);
    }
  }
}

TEST_P(TableFilterTest, DependsOnTheSetOfHashesOnly) {
  std::vector<uint64_t> hashes = RandomHashes(150000, 1);
  const std::string bytes = Create(hashes);
  EXPECT_TRUE(Create(hashes) == bytes);
  std::reverse(hashes.begin(), hashes.end());
  EXPECT_TRUE(Create(hashes) == bytes);
}

TEST_P(TableFilterTest, IsAppendedBehindWhatIsThere) {
  std::vector<uint64_t> hashes = {1, 2, 3};
  std::string bytes = "abc";
  policy_->CreateFilter(absl::MakeSpan(hashes), &bytes);
  EXPECT_EQ(bytes, "abc" + Create({1, 2, 3}));
}

TEST_P(TableFilterTest, IsFoundByItsName) {
  const TableFilterPolicy* found = FindTableFilterPolicy(policy_->Name());
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->Name(), policy_->Name());
  EXPECT_EQ(FindTableFilterPolicy(policy_->Name(), {policy_.get()}), policy_.get());
  EXPECT_EQ(FindTableFilterPolicy("other"), nullptr);
}

// A damaged filter must be refused, or be usable without reads outside it.
TEST_P(TableFilterTest, SurvivesDamage) {
  const std::vector<uint64_t> hashes = RandomHashes(40, 1);
  const std::string bytes = Create(hashes);
  const auto ask = [&](absl::string_view damaged) {
    const ExactCopy copy(damaged);
    const auto filter = policy_->Parse(copy.view());
    if (!filter.ok()) {
      EXPECT_EQ(filter.status().code(), absl::StatusCode::kDataLoss);
      return false;
    }
    for (const uint64_t hash : hashes) {
      (*filter)->Prefetch(hash);
      static_cast<void>((*filter)->MayMatch(hash));
    }
    return true;
  };
  EXPECT_TRUE(ask(bytes));
  for (size_t size = 0; size < bytes.size(); ++size) ask(bytes.substr(0, size));
  EXPECT_FALSE(ask(""));
  EXPECT_FALSE(ask(bytes.substr(1)));
  EXPECT_FALSE(ask(bytes + std::string(1, '\0')));
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int byte : {0, 1, 0x7f, 0x80, 0xff, bytes[i] ^ 1}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(byte);
      ask(damaged);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Policies, TableFilterTest,
    testing::ValuesIn<PolicyCase>(
        {{"Blocked10", [] { return NewBlockedBloomPolicy(10); }, 0.0095, 10.1},
         {"Blocked16", [] { return NewBlockedBloomPolicy(16); }, 0.0009, 16.1},
         {"Fuse8", [] { return NewBinaryFusePolicy(FuseBits::k8); }, 1.0 / 256, 9.05},
         {"Fuse16", [] { return NewBinaryFusePolicy(FuseBits::k16); }, 1.0 / 65536, 18.1}}),
    [](const auto& info) { return info.param.name; });

TEST(BlockedBloomTest, TakesTheNearestBitsPerKey) {
  std::vector<uint64_t> hashes(1000);
  std::string least, most;
  NewBlockedBloomPolicy(-5)->CreateFilter(absl::MakeSpan(hashes), &least);
  EXPECT_EQ(least.size(), 2 * 64 + 1);  // 1000 bits
  EXPECT_EQ(least.back(), 1);
  NewBlockedBloomPolicy(1000)->CreateFilter(absl::MakeSpan(hashes), &most);
  EXPECT_EQ(most.size(), 196 * 64 + 1);  // 100,000 bits
  EXPECT_EQ(most.back(), 16);
}

TEST(BinaryFuseTest, WithoutShardsEveryKeyMayMatch) {
  const std::string bytes(
      "\0\0\0\0"
      "\1\0\0\0"
      "\0",
      9);
  for (const FuseBits bits : {FuseBits::k8, FuseBits::k16}) {
    const auto policy = NewBinaryFusePolicy(bits);
    ASSERT_OK_AND_ASSIGN(const auto filter, policy->Parse(bytes));
    filter->Prefetch(1);
    EXPECT_TRUE(filter->MayMatch(1));
  }
}

}  // namespace
}  // namespace sstable::test
