#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "filter/bloom.h"
#include "gtest/gtest.h"
#include "sstable/filter_policy.h"
#include "tests/support/hex.h"
#include "tests/support/random_bytes.h"
#include "tests/support/test_policies.h"

namespace sstable::test {
namespace {

struct NameCase {
  const char* name;
  BloomName bloom_name;
  const char* on_disk;
  BloomHash hash;
};

const NameCase kNameCases[] = {
    {"LevelDb", BloomName::kLevelDb, "leveldb.BuiltinBloomFilter2", BloomHash::kUnsignedTail},
    {"LevelDbOld", BloomName::kLevelDbOld, "leveldb.BuiltinBloomFilter", BloomHash::kEitherTail},
    {"RocksDb", BloomName::kRocksDb, "rocksdb.BuiltinBloomFilter", BloomHash::kSignedTail},
};

// Returns 500 keys. Every second one has a tail byte above 0x7f.
std::vector<std::string> Keys() {
  std::vector<std::string> keys;
  for (int i = 0; i < 500; ++i)
    keys.push_back(absl::StrCat("key", 10000 + i, i % 2 ? "\xc3" : "c"));
  return keys;
}

// Builds a filter like the programs that use this hash.
template <HashTail kTail>
std::string FilterBy(const std::vector<std::string>& keys) {
  std::vector<uint32_t> hashes;
  for (const std::string& key : keys) hashes.push_back(BloomKeyHash<kTail>(key));
  std::string filter;
  AppendBloomFilter(hashes, {10}, &filter);
  return filter;
}

int CountLost(const FilterPolicy& policy, const std::vector<std::string>& keys,
              absl::string_view filter) {
  int lost = 0;
  for (const std::string& key : keys) lost += !policy.KeyMayMatch(key, filter);
  return lost;
}

class BloomFilterPolicyTest : public testing::TestWithParam<NameCase> {
 protected:
  const std::unique_ptr<const FilterPolicy> policy_ =
      NewBloomFilterPolicy(10, GetParam().bloom_name);
  const std::vector<std::string> keys_ = Keys();
  const std::vector<absl::string_view> key_views_{keys_.begin(), keys_.end()};
};

INSTANTIATE_TEST_SUITE_P(Names, BloomFilterPolicyTest, testing::ValuesIn(kNameCases),
                         [](const auto& info) { return info.param.name; });

TEST_P(BloomFilterPolicyTest, HasTheNameOnDiskAndItsHash) {
  EXPECT_EQ(policy_->Name(), GetParam().on_disk);
  ASSERT_TRUE(BloomTraitsOf(*policy_).has_value());
  EXPECT_EQ(BloomTraitsOf(*policy_)->hash, GetParam().hash);
  EXPECT_EQ(BloomTraitsOf(*policy_)->bits_per_key, 10);
  EXPECT_EQ(BloomTraitsOf(*policy_)->ignored_suffix_size, 0);
}

TEST_P(BloomFilterPolicyTest, WritesSignedOnlyForRocksDb) {
  EXPECT_EQ(MakeFilter(*policy_, key_views_), GetParam().bloom_name == BloomName::kRocksDb
                                                  ? FilterBy<HashTail::kSigned>(keys_)
                                                  : FilterBy<HashTail::kUnsigned>(keys_));
}

TEST_P(BloomFilterPolicyTest, ItsTraitsAgreeWithItsMethods) {
  std::vector<uint32_t> hashes;
  for (const std::string& key : keys_)
    hashes.push_back(BloomCreationHash(*BloomTraitsOf(*policy_), key));
  std::string by_traits;
  AppendBloomFilter(hashes, *BloomTraitsOf(*policy_), &by_traits);
  EXPECT_EQ(MakeFilter(*policy_, key_views_), by_traits);

  constexpr uint64_t kSeed = 1;
  Rng rng(kSeed);
  for (int i = 0; i < 20000; ++i) {
    const std::string key = RandomBytes(rng, i % 8);
    std::string filter = RandomBytes(rng, RandomUpTo(rng, 12));
    filter.push_back(static_cast<char>(RandomUpTo(rng, 3)));
    ASSERT_EQ(policy_->KeyMayMatch(key, filter),
              BloomMayContainKey(*BloomTraitsOf(*policy_), key, filter))
        << "seed " << kSeed << ", round " << i;
  }
}

TEST_P(BloomFilterPolicyTest, AsksFiltersOfAnyBitsPerKey) {
  for (int bits_per_key : {0, 1, 5, 20, 60, 100}) {
    const auto writer = NewBloomFilterPolicy(bits_per_key, GetParam().bloom_name);
    EXPECT_EQ(CountLost(*policy_, keys_, MakeFilter(*writer, key_views_)), 0) << bits_per_key;
  }
}

TEST_P(BloomFilterPolicyTest, BitsPerKeyAreBroughtIntoTheirRange) {
  for (const auto& [asked, got] :
       std::vector<std::pair<int, int>>{{-1, 0},
                                        {std::numeric_limits<int>::min(), 0},
                                        {0, 0},
                                        {1, 1},
                                        {kMaxBloomBitsPerKey, kMaxBloomBitsPerKey},
                                        {kMaxBloomBitsPerKey + 1, kMaxBloomBitsPerKey},
                                        {std::numeric_limits<int>::max(), kMaxBloomBitsPerKey}}) {
    const auto policy = NewBloomFilterPolicy(asked, GetParam().bloom_name);
    EXPECT_EQ(BloomTraitsOf(*policy)->bits_per_key, got);
    EXPECT_EQ(MakeFilter(*policy, {"hello"}),
              MakeFilter(*NewBloomFilterPolicy(got, GetParam().bloom_name), {"hello"}));
  }
  EXPECT_EQ(MakeFilter(*NewBloomFilterPolicy(-1), {"a", "b"}).size(), 8 + 1);
  EXPECT_EQ(MakeFilter(*NewBloomFilterPolicy(std::numeric_limits<int>::max()), {"a", "b"}).size(),
            2 * kMaxBloomBitsPerKey / 8 + 1);
}

TEST(BloomFilterPolicyTest, IsLevelDbsUnlessAskedOtherwise) {
  EXPECT_EQ(NewBloomFilterPolicy(10)->Name(), "leveldb.BuiltinBloomFilter2");
  EXPECT_EQ(ToHex(MakeFilter(*NewBloomFilterPolicy(10), {"hello", "world"})),
            Hex("1140004144104010 06"));
}

TEST(BloomFilterPolicyTest, TheWrongHashLosesKeysSoTheNameMatters) {
  // About half the keys have a high tail byte, and nearly all of them must be lost.
  EXPECT_GT(CountLost(*NewBloomFilterPolicy(10, BloomName::kLevelDb), Keys(),
                      FilterBy<HashTail::kSigned>(Keys())),
            200);
  EXPECT_GT(CountLost(*NewBloomFilterPolicy(10, BloomName::kRocksDb), Keys(),
                      FilterBy<HashTail::kUnsigned>(Keys())),
            200);
}

TEST(BloomFilterPolicyTest, TheOldNameMatchesExactlyWhereOneOfTheOthersDoes) {
  const auto either = NewBloomFilterPolicy(10, BloomName::kLevelDbOld);
  const auto with_unsigned = NewBloomFilterPolicy(10, BloomName::kLevelDb);
  const auto with_signed = NewBloomFilterPolicy(10, BloomName::kRocksDb);
  constexpr uint64_t kSeed = 2;
  Rng rng(kSeed);
  for (int i = 0; i < 20000; ++i) {
    const std::string key = RandomBytes(rng, i % 8);
    const std::string filter = RandomBytes(rng, 8) + '\x01';
    ASSERT_EQ(either->KeyMayMatch(key, filter),
              with_unsigned->KeyMayMatch(key, filter) || with_signed->KeyMayMatch(key, filter))
        << "seed " << kSeed << ", round " << i;
  }
}

}  // namespace
}  // namespace sstable::test
