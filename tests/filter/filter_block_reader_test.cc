#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "tests/support/hex.h"
#include "tests/support/random_bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_policies.h"

namespace sstable::test {
namespace {

using State = ::sstable::FilterWindow::State;

constexpr uint64_t kMaxOffset = std::numeric_limits<uint64_t>::max();

TEST(FilterBlockReaderTest, ShowsWhatItWasParsedFrom) {
  const auto policy = NewBloomFilterPolicy(10);
  const std::string contents = FromHex("081020408000010006 00000000 09000000 0a");
  ASSERT_OK_AND_ASSIGN(const auto reader, FilterBlockReader::Parse(policy.get(), contents));
  EXPECT_EQ(reader.policy(), policy.get());
  EXPECT_EQ(reader.contents().data(), contents.data());
  EXPECT_EQ(reader.contents().size(), contents.size());
  EXPECT_EQ(reader.window_count(), 1);
  EXPECT_EQ(reader.array_offset(), 9);
  EXPECT_EQ(reader.base_lg(), 10);
  EXPECT_EQ(reader.WindowIndex(1023), 0);
  EXPECT_EQ(reader.WindowIndex(1024), 1);
  EXPECT_EQ(reader.WindowIndex(kMaxOffset), kMaxOffset >> 10);
  EXPECT_EQ(reader.Window(0).filter.data(), contents.data());
  EXPECT_EQ(reader.Window(0).filter.size(), 9);
}

TEST(FilterBlockReaderTest, AWindowOfNoReaderMayMatch) {
  const WholeKeysPolicy policy;
  const ExactCopy contents(FromHex("000000000b"));
  ASSERT_OK_AND_ASSIGN(const auto reader, FilterBlockReader::Parse(&policy, contents.view()));
  EXPECT_TRUE(reader.Matches(FilterWindow(), "a"));
}

// Matches any key, even if the filter is empty.
class CarefulPolicy final : public FilterPolicy {
 public:
  absl::string_view Name() const override { return "test.Careful"; }
  void CreateFilter(absl::Span<const absl::string_view>, std::string*) const override {}
  bool KeyMayMatch(absl::string_view, absl::string_view) const override { return true; }
};

TEST(FilterBlockReaderTest, LeavesTheAnswerForAnEmptyWindowToThePolicy) {
  const ExactCopy contents(FromHex("00000000 00000000 0b"));
  const CarefulPolicy careful;
  ASSERT_OK_AND_ASSIGN(const auto reader, FilterBlockReader::Parse(&careful, contents.view()));
  EXPECT_EQ(reader.Window(0).state, State::kEmpty);
  EXPECT_TRUE(reader.KeyMayMatch(0, "a"));
  const WholeKeysPolicy exact;
  ASSERT_OK_AND_ASSIGN(const auto exact_reader, FilterBlockReader::Parse(&exact, contents.view()));
  EXPECT_FALSE(exact_reader.KeyMayMatch(0, "a"));
}

TEST(FilterBlockReaderTest, FindsEachKeyInItsWindowAndInNoOther) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Rng rng(seed);
    const WholeKeysPolicy policy;
    const auto base_lg = static_cast<int>(RandomUpTo(rng, 12));
    FilterBlockBuilder builder(&policy, base_lg);
    std::vector<std::set<std::string>> windows;  // the model: the keys of each window
    std::vector<uint64_t> block_offsets;
    for (uint64_t block_offset = 0; block_offsets.size() < 30;
         block_offset += RandomUpTo(rng, uint64_t{3} << base_lg)) {
      builder.StartBlock(block_offset);
      windows.resize((block_offset >> base_lg) + 1);
      for (uint64_t i = RandomUpTo(rng, 3); i > 0; --i) {
        const std::string key = RandomBytesOf(rng, RandomUpTo(rng, 2), "abc");
        builder.AddKey(key);
        windows.back().insert(key);
      }
      block_offsets.push_back(block_offset);
    }
    ASSERT_OK_AND_ASSIGN(const absl::string_view built, builder.Finish());
    const ExactCopy contents(built);
    ASSERT_OK_AND_ASSIGN(const auto reader, FilterBlockReader::Parse(&policy, contents.view()));
    for (uint64_t block_offset : block_offsets) {
      const uint64_t window = block_offset >> base_lg;
      for (const char* key : {"", "a", "b", "c", "ab", "cc", "abc"}) {
        ASSERT_EQ(reader.KeyMayMatch(block_offset, key),
                  window >= reader.window_count() || windows[window].count(key) == 1)
            << "block offset " << block_offset << ", key " << key;
      }
    }
  }
}

}  // namespace
}  // namespace sstable::test
