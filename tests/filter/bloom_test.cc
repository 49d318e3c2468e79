#include "filter/bloom.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"
#include "tests/support/hex.h"
#include "tests/support/random_bytes.h"

namespace sstable::test {
namespace {

std::vector<uint32_t> HashesOf(const std::vector<std::string>& keys) {
  std::vector<uint32_t> hashes;
  for (const std::string& key : keys) hashes.push_back(BloomKeyHash(key));
  return hashes;
}

std::string Filter(const std::vector<uint32_t>& hashes, int bits_per_key) {
  std::string filter;
  AppendBloomFilter(hashes, {bits_per_key}, &filter);
  return filter;
}

std::vector<std::string> RandomKeys(Rng& rng, size_t count) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < count; ++i) keys.push_back(RandomBytes(rng, RandomUpTo(rng, 20)));
  return keys;
}

TEST(BloomTest, IsAppendedBehindWhatIsThere) {
  std::string bytes = "abc";
  AppendBloomFilter(HashesOf({"hello", "world"}), {10}, &bytes);
  EXPECT_EQ(bytes, "abc" + Filter(HashesOf({"hello", "world"}), 10));
}

struct RateCase {
  int bits_per_key;
  size_t count;
};

class BloomRateTest : public testing::TestWithParam<RateCase> {};

TEST_P(BloomRateTest, FalsePositivesAreNearTheory) {
  const auto [bits_per_key, count] = GetParam();
  std::vector<uint32_t> hashes;
  for (size_t i = 0; i < count; ++i) hashes.push_back(BloomKeyHash(absl::StrCat("key", i)));
  const std::string filter = Filter(hashes, bits_per_key);

  constexpr int kProbes = 200000;
  int positives = 0;
  for (int i = 0; i < kProbes; ++i) {
    positives += BloomMayContain(BloomKeyHash(absl::StrCat("other", i)), filter);
  }
  const double k = BloomProbeCount(bits_per_key);
  const double theory = std::pow(1 - std::exp(-k / bits_per_key), k);
  const double rate = static_cast<double>(positives) / kProbes;
  EXPECT_GT(rate, theory * 0.7);
  EXPECT_LT(rate, theory * 1.3);
}

INSTANTIATE_TEST_SUITE_P(
    Filters, BloomRateTest,
    testing::ValuesIn<RateCase>({{10, 10000}, {5, 10000}, {10, 1000}, {8, 300}}),
    [](const auto& info) {
      return absl::StrCat(info.param.bits_per_key, "Bits", info.param.count, "Keys");
    });

TEST(BloomTest, HasLevelDbsBytes) {
  for (int bits_per_key : {0, 1, 2, 5, 9, 10, 14, 15, 20, 43, 44, 60, 100, 1000}) {
    const std::unique_ptr<const leveldb::FilterPolicy> oracle(
        leveldb::NewBloomFilterPolicy(bits_per_key));
    for (size_t count : {0, 1, 5, 6, 7, 8, 50, 333, 2000}) {
      const uint64_t seed = count * 1000 + bits_per_key;
      Rng rng(seed);
      const std::vector<std::string> keys = RandomKeys(rng, count);
      const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
      std::string expected;
      oracle->CreateFilter(slices.data(), static_cast<int>(count), &expected);
      ASSERT_EQ(ToHex(Filter(HashesOf(keys), bits_per_key)), ToHex(expected)) << "seed " << seed;
    }
  }
}

TEST(BloomTest, AnswersAsLevelDbDoesWhateverTheFiltersBytes) {
  constexpr uint64_t kSeed = 2;
  Rng rng(kSeed);
  const std::unique_ptr<const leveldb::FilterPolicy> oracle(leveldb::NewBloomFilterPolicy(10));
  int positives = 0;
  constexpr int kRounds = 100000;
  for (int i = 0; i < kRounds; ++i) {
    std::string bytes = RandomBytes(rng, RandomUpTo(rng, 20));
    if (!bytes.empty() && i % 2 == 0) bytes.back() = static_cast<char>(RandomUpTo(rng, 4));
    const ExactCopy filter(bytes);
    const ExactCopy key(RandomBytes(rng, RandomUpTo(rng, 9)));
    const bool expected =
        oracle->KeyMayMatch(leveldb::Slice(key.view().data(), key.view().size()), bytes);
    positives += expected;
    ASSERT_EQ(BloomMayContain(BloomKeyHash(key.view()), filter.view()), expected)
        << "seed " << kSeed << ", round " << i << ", filter " << ToHex(bytes);
  }
  EXPECT_GT(positives, kRounds / 10);
  EXPECT_LT(positives, kRounds * 9 / 10);
}

TEST(BloomCreationHashTest, TakesTheHashThatTheTraitsSay) {
  const std::string key = "abcd\xc3\x97";
  EXPECT_EQ(BloomCreationHash({10, BloomHash::kUnsignedTail}, key),
            BloomKeyHash<HashTail::kUnsigned>(key));
  EXPECT_EQ(BloomCreationHash({10, BloomHash::kSignedTail}, key),
            BloomKeyHash<HashTail::kSigned>(key));
  EXPECT_EQ(BloomCreationHash({10, BloomHash::kEitherTail}, key),
            BloomKeyHash<HashTail::kUnsigned>(key));
}

TEST(BloomTraitsTest, TheIgnoredSuffixIsNoPartOfAKey) {
  const BloomTraits traits = {10, BloomHash::kUnsignedTail, 3};
  EXPECT_EQ(BloomCreationHash(traits, "hello..."), BloomKeyHash("hello"));
  EXPECT_EQ(BloomCreationHash(traits, "..."), BloomKeyHash(""));
  const std::string filter = Filter(HashesOf({"hello"}), 10);
  EXPECT_TRUE(BloomMayContainKey(traits, "hello...", filter));
  EXPECT_TRUE(BloomMayContainKey(traits, "helloxyz", filter));
  EXPECT_FALSE(BloomMayContainKey(traits, "hello", filter));
}

TEST(BloomTraitsTest, AKeyTooShortForTheSuffixIsWhole) {
  // Agrees with ExtractUserKey(), so that InternalFilterPolicy's methods agree with its traits.
  const BloomTraits traits = {10, BloomHash::kUnsignedTail, 8};
  EXPECT_EQ(BloomCreationHash(traits, "hello"), BloomKeyHash("hello"));
  EXPECT_TRUE(BloomMayContainKey(traits, "hello", Filter(HashesOf({"hello"}), 10)));
  EXPECT_FALSE(BloomMayContainKey(traits, "hello", Filter(HashesOf({""}), 10)));
}

}  // namespace
}  // namespace sstable::test
