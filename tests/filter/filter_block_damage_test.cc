// Tests filter blocks of arbitrary bytes. There must be no crash, and answers must follow
// docs/filter_block.md, so that damage hides only keys whose own filter it changes.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "tests/support/hex.h"
#include "tests/support/random_bytes.h"
#include "tests/support/test_policies.h"

namespace sstable::test {
namespace {

uint64_t Number(absl::string_view bytes, uint64_t offset) {
  uint64_t number = 0;
  for (int i = 3; i >= 0; --i) number = number << 8 | static_cast<uint8_t>(bytes[offset + i]);
  return number;
}

// Implements the format's description: returns the filter for keys in the block at `block_offset`,
// or nullopt if the filter block has no answer.
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

// Returns the state of a window in a filter block that was parsed.
FilterWindow::State NaiveState(const FilterBlockReader& reader, uint64_t block_offset) {
  const auto filter = NaiveFilter(reader.contents(), block_offset);
  if (filter.has_value()) {
    return filter->empty() ? FilterWindow::State::kEmpty : FilterWindow::State::kPresent;
  }
  return reader.WindowIndex(block_offset) < reader.window_count() ? FilterWindow::State::kMalformed
                                                                  : FilterWindow::State::kMissing;
}

bool NaiveKeyMayMatch(const FilterPolicy& policy, absl::string_view contents, uint64_t block_offset,
                      absl::string_view key) {
  const auto filter = NaiveFilter(contents, block_offset);
  return !filter || policy.KeyMayMatch(key, *filter);
}

// Without a reader there is no filter, so every key may match.
bool KeyMayMatch(const FilterPolicy& policy, absl::string_view contents, uint64_t block_offset,
                 absl::string_view key) {
  const auto reader = FilterBlockReader::Parse(&policy, contents);
  return !reader.ok() || reader->KeyMayMatch(block_offset, key);
}

// Returns random bytes with some valid fields of a filter block.
std::string RandomBlock(Rng& rng) {
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
  Rng rng(kSeed);
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
      if (reader.ok()) {
        const FilterWindow window = reader->Window(reader->WindowIndex(block_offset));
        ASSERT_EQ(window.state, NaiveState(*reader, block_offset)) << ToHex(contents.view());
        ASSERT_EQ(window.filter, NaiveFilter(contents.view(), block_offset).value_or(""));
      }
      hidden += !may_match;
      ++asked;
    }
  }
  EXPECT_GT(parsed, 30000);
  EXPECT_LT(parsed, 90000);
  EXPECT_GT(hidden, 1000);
  EXPECT_LT(hidden, asked / 2);
}

}  // namespace
}  // namespace sstable::test
