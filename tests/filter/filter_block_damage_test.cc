// Damaged filter blocks: no crash, and no false negative unless the bytes of the key's own filter
// are damaged.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "tests/support/hex.h"
#include "tests/support/random_bytes.h"
#include "tests/support/test_policies.h"

namespace sstable {
namespace {

using ::sstable::test::ExactCopy;
using ::sstable::test::RandomBytes;
using ::sstable::test::RandomUpTo;
using ::sstable::test::ToHex;
using ::sstable::test::WholeKeysPolicy;

uint64_t Number(absl::string_view bytes, uint64_t offset) {
  uint64_t number = 0;
  for (int i = 3; i >= 0; --i) number = number << 8 | static_cast<uint8_t>(bytes[offset + i]);
  return number;
}

// Written from the format's description: returns the bytes of the filter for a key in the block at
// `block_offset`, or nullopt if the filter block has no answer.
std::optional<std::string> NaiveFilter(absl::string_view contents, uint64_t block_offset) {
  if (contents.size() < 5) return std::nullopt;
  const uint64_t array_end = contents.size() - 5;
  const uint64_t array_offset = Number(contents, array_end);
  const auto base_lg = static_cast<uint8_t>(contents.back());
  if (array_offset > array_end || base_lg >= 64) return std::nullopt;
  std::vector<uint64_t> offsets;
  for (uint64_t at = array_offset; at + 4 <= array_end; at += 4) {
    offsets.push_back(Number(contents, at));
  }
  offsets.push_back(array_offset);
  const uint64_t window = block_offset >> base_lg;
  if (window >= offsets.size() - 1) return std::nullopt;
  const uint64_t start = offsets[window], limit = offsets[window + 1];
  if (start > limit || limit > array_offset) return std::nullopt;
  return std::string(contents.substr(start, limit - start));
}

bool NaiveKeyMayMatch(const FilterPolicy& policy, absl::string_view contents, uint64_t block_offset,
                      absl::string_view key) {
  const auto filter = NaiveFilter(contents, block_offset);
  return !filter || policy.KeyMayMatch(key, *filter);
}

// Without a reader there is no filter, so any key may match.
bool KeyMayMatch(const FilterPolicy& policy, absl::string_view contents, uint64_t block_offset,
                 absl::string_view key) {
  const auto reader = FilterBlockReader::Parse(&policy, contents);
  return !reader.ok() || reader->KeyMayMatch(block_offset, key);
}

// Random bytes with some fields of a filter block.
std::string RandomBlock(test::Rng& rng) {
  std::string bytes = RandomBytes(rng, RandomUpTo(rng, 60));
  if (bytes.size() < 5 || RandomUpTo(rng, 3) == 0) return bytes;
  const auto put = [&bytes](size_t offset, uint64_t number) {
    for (int i = 0; i < 4; ++i) bytes[offset + i] = static_cast<char>(number >> 8 * i);
  };
  const size_t array_end = bytes.size() - 5;
  const size_t array_offset = RandomUpTo(rng, array_end);
  put(array_end, array_offset + (RandomUpTo(rng, 9) == 0 ? 1 : 0));
  bytes.back() = static_cast<char>(RandomUpTo(rng, RandomUpTo(rng, 3) == 0 ? 80 : 12));
  for (size_t at = array_offset; at + 4 <= array_end; at += 4) {
    if (RandomUpTo(rng, 9) != 0) put(at, RandomUpTo(rng, array_offset + 2));
  }
  return bytes;
}

class FilterBlockDamageTest : public testing::TestWithParam<const char*> {
 protected:
  FilterBlockDamageTest() {
    const absl::string_view name = GetParam();
    if (name == "WholeKeys") policy_ = std::make_unique<WholeKeysPolicy>();
    if (name == "Bloom") policy_ = NewBloomFilterPolicy(10);
    if (name == "OldBloom") policy_ = NewBloomFilterPolicy(10, BloomName::kLevelDbOld);
  }
  std::unique_ptr<const FilterPolicy> policy_;
};

INSTANTIATE_TEST_SUITE_P(Policies, FilterBlockDamageTest,
                         testing::Values("WholeKeys", "Bloom", "OldBloom"),
                         [](const auto& info) { return info.param; });

TEST_P(FilterBlockDamageTest, AnyBytesGiveTheAnswerOfTheDescription) {
  constexpr uint64_t kSeed = 1;
  test::Rng rng(kSeed);
  int parsed = 0, hidden = 0, asked = 0;
  for (int i = 0; i < 100000; ++i) {
    const ExactCopy contents(RandomBlock(rng));
    const auto reader = FilterBlockReader::Parse(policy_.get(), contents.view());
    parsed += reader.ok();
    const ExactCopy key(RandomBytes(rng, RandomUpTo(rng, 6)));
    for (uint64_t block_offset :
         {RandomUpTo(rng, 20), RandomUpTo(rng, 10000), rng(), ~uint64_t{0}}) {
      const bool may_match = KeyMayMatch(*policy_, contents.view(), block_offset, key.view());
      ASSERT_EQ(may_match, NaiveKeyMayMatch(*policy_, contents.view(), block_offset, key.view()))
          << "seed " << kSeed << ", round " << i << ", block offset " << block_offset << ", "
          << ToHex(contents.view());
      hidden += !may_match;
      ++asked;
    }
  }
  EXPECT_GT(parsed, 30000);
  EXPECT_LT(parsed, 90000);
  EXPECT_GT(hidden, 1000);
  EXPECT_LT(hidden, asked / 2);
}

// A filter block of ten windows, two without keys, and the keys that were added to it.
class FilterBlockMutationTest : public FilterBlockDamageTest {
 protected:
  void SetUp() override {
    FilterBlockBuilder builder(policy_.get());
    for (uint64_t block_offset = 0; block_offset < 20000; block_offset += 1500) {
      if (block_offset == 6000 || block_offset == 7500 || block_offset == 15000) continue;
      builder.StartBlock(block_offset);
      for (int i = 0; i < 5; ++i) {
        keys_.push_back({block_offset, absl::StrCat("key", block_offset + i, i % 2 ? "\xc3" : "")});
        builder.AddKey(keys_.back().second);
      }
    }
    contents_ = std::string(builder.Finish().value());
    ASSERT_EQ(FilterBlockReader::Parse(policy_.get(), contents_)->window_count(), 10);
  }

  // Fails if a key is ruled out though its filter is undamaged. Returns how many are ruled out.
  int Check(absl::string_view damaged) const {
    const ExactCopy copy(damaged);
    int hidden = 0;
    for (const auto& [block_offset, key] : keys_) {
      if (KeyMayMatch(*policy_, copy.view(), block_offset, key)) continue;
      ++hidden;
      EXPECT_NE(NaiveFilter(damaged, block_offset).value_or("none"),
                NaiveFilter(contents_, block_offset).value())
          << "block offset " << block_offset << ", key " << key;
      EXPECT_NE(NaiveFilter(damaged, block_offset), std::nullopt);
    }
    return hidden;
  }

  std::vector<std::pair<uint64_t, std::string>> keys_;  // with the offset of their block
  std::string contents_;
};

INSTANTIATE_TEST_SUITE_P(Policies, FilterBlockMutationTest,
                         testing::Values("WholeKeys", "Bloom", "OldBloom"),
                         [](const auto& info) { return info.param; });

TEST_P(FilterBlockMutationTest, WithoutDamageNoKeyIsHidden) { EXPECT_EQ(Check(contents_), 0); }

TEST_P(FilterBlockMutationTest, AFlippedBitHidesNoKeyOfAnotherWindow) {
  const uint64_t array_end = contents_.size() - 5;
  const uint64_t array_offset = Number(contents_, array_end);
  int hidden = 0;
  for (size_t at = 0; at < array_end; ++at) {  // the tail determines all windows
    for (int bit = 0; bit < 8; ++bit) {
      SCOPED_TRACE(absl::StrCat("byte ", at, ", bit ", bit));
      std::string damaged = contents_;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      for (const auto& [block_offset, key] : keys_) {
        if (KeyMayMatch(*policy_, damaged, block_offset, key)) continue;
        ++hidden;
        const uint64_t window = block_offset >> 11;
        const uint64_t entry = array_offset + 4 * window;
        const bool in_filter = at >= Number(contents_, entry) && at < Number(contents_, entry + 4);
        const bool in_offsets = at >= entry && at < entry + 8;
        ASSERT_TRUE(in_filter || in_offsets) << "block offset " << block_offset << ", key " << key;
      }
    }
  }
  EXPECT_GT(hidden, 0);  // damage to its own filter can rule out a key
}

TEST_P(FilterBlockMutationTest, AnyByteMayTakeAnyValue) {
  for (size_t at = 0; at < contents_.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      SCOPED_TRACE(absl::StrCat("byte ", at, " becomes ", value));
      std::string damaged = contents_;
      damaged[at] = static_cast<char>(value);
      Check(damaged);
      if (HasFailure()) return;
    }
  }
}

TEST_P(FilterBlockMutationTest, ItMayBeCutAtAnyLength) {
  for (size_t size = 0; size <= contents_.size(); ++size) {
    SCOPED_TRACE(absl::StrCat("cut to ", size));
    Check(contents_.substr(0, size));
    Check(contents_.substr(contents_.size() - size));
  }
}

TEST_P(FilterBlockMutationTest, BytesMayBeLostOrInsertedAnywhere) {
  for (size_t at = 0; at < contents_.size(); ++at) {
    SCOPED_TRACE(absl::StrCat("at ", at));
    Check(std::string(contents_).erase(at, 1));
    Check(std::string(contents_).erase(at, 4));
    Check(std::string(contents_).insert(at, 1, '\0'));
    Check(std::string(contents_).insert(at, 4, '\xff'));
  }
}

TEST_P(FilterBlockMutationTest, ManyBytesMayChangeAtOnce) {
  constexpr uint64_t kSeed = 3;
  test::Rng rng(kSeed);
  for (int i = 0; i < 20000; ++i) {
    SCOPED_TRACE(absl::StrCat("seed ", kSeed, ", round ", i));
    std::string damaged = contents_;
    for (uint64_t changes = RandomUpTo(rng, 8); changes > 0; --changes) {
      // Half of the changes are in the offsets and the tail.
      const size_t last = damaged.size() - 1;
      const size_t at = last - RandomUpTo(rng, RandomUpTo(rng, 1) ? 44 : last);
      damaged[at] = static_cast<char>(rng());
    }
    Check(damaged);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace sstable
