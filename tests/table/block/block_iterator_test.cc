#include "table/block/block_iterator.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "table/block/block.h"
#include "table/block/key_order.h"
#include "tests/support/block_bytes.h"
#include "tests/support/model_map.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

constexpr size_t kAll = std::numeric_limits<size_t>::max();
const KeyOrder kBytewise(BytewiseComparator(), KeyKind::kPlain);

// Returns the current entry as "key=value", or "none", or the error.
std::string At(const BlockIterator& it) {
  if (it.Valid()) return absl::StrCat(it.key(), "=", it.value());
  return it.status().ok() ? "none" : std::string(it.status().message());
}

class BlockIteratorShapeTest
    : public testing::TestWithParam<std::tuple</*restart_interval*/ int, /*max_shared*/ size_t>> {
 protected:
  void SetUp() override {
    Random random(7);
    model_ = RandomModel(kBytewise, 200, &random);
    bytes_.emplace(
        EncodeBlock(ToEntries(model_), {std::get<0>(GetParam()), std::get<1>(GetParam())}));
    const absl::StatusOr<Block> block = Block::Parse(bytes_->view());
    ASSERT_OK(block);
    block_ = *block;
  }

  ModelMap model_{KeyLess{&kBytewise}};
  std::optional<PaddedBytes> bytes_;
  Block block_;
};

TEST_P(BlockIteratorShapeTest, MovesLikeAMap) {
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    BlockIterator it(&kBytewise, block_);
    auto expected = model_.end();
    for (int step = 0; step < 1000; ++step) {
      SCOPED_TRACE(absl::StrCat("seed ", seed, " step ", step));
      switch (Below(it.Valid() ? 8 : 3, &random)) {
        case 0:
          it.SeekToFirst();
          expected = model_.begin();
          break;
        case 1:
          it.SeekToLast();
          expected = std::prev(model_.end());
          break;
        case 2: {
          const std::string target = RandomKey(&random);
          it.Seek(target);
          expected = model_.lower_bound(target);
          break;
        }
        case 3:
        case 4:
        case 5:
          it.Next();
          ++expected;
          break;
        default:
          it.Prev();
          expected = expected == model_.begin() ? model_.end() : std::prev(expected);
      }
      ASSERT_EQ(it.Valid(), expected != model_.end()) << it.status();
      ASSERT_OK(it.status());
      if (it.Valid()) {
        ASSERT_EQ(it.key(), expected->first);
        ASSERT_EQ(it.value(), expected->second);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BlockIteratorShapeTest,
                         testing::Combine(testing::Values(1, 2, 3, 16, 1000),
                                          testing::Values(size_t{0}, size_t{2}, kAll)),
                         [](const auto& info) {
                           const size_t max_shared = std::get<1>(info.param);
                           return absl::StrCat(
                               "Restart", std::get<0>(info.param), "Shares",
                               max_shared == kAll ? "All" : absl::StrCat(max_shared));
                         });

// Entries share fewer and fewer bytes, so each step back needs bytes from an earlier entry of the
// run. Some entries overwrite these bytes in between.
TEST(BlockIteratorTest, PutsKeysTogetherOnTheWayBack) {
  std::string entries = EncodeEntry(0, "abcdefghij", "");
  std::vector<std::string> keys = {"abcdefghij"};
  for (const auto& [shared, suffix] : std::vector<std::pair<uint32_t, std::string>>{{10, "kl"},
                                                                                    {11, ""},
                                                                                    {9, "XYZ"},
                                                                                    {10, ""},
                                                                                    {8, ""},
                                                                                    {4, "EF"},
                                                                                    {5, "g"},
                                                                                    {6, "h"},
                                                                                    {3, ""},
                                                                                    {2, "CDEFG"},
                                                                                    {6, ""},
                                                                                    {0, "b"},
                                                                                    {1, "c"}}) {
    entries += EncodeEntry(shared, suffix, "");
    keys.push_back(keys.back().substr(0, shared) + suffix);
  }
  const PaddedBytes bytes(absl::StrCat(entries, EncodeRestarts({0})));
  ASSERT_OK_AND_ASSIGN(const Block block, Block::Parse(bytes.view()));
  BlockIterator it(&kBytewise, block);
  it.SeekToLast();
  for (auto key = keys.rbegin(); key != keys.rend(); ++key, it.Prev()) {
    ASSERT_TRUE(it.Valid()) << it.status();
    ASSERT_EQ(it.key(), *key);
  }
  EXPECT_EQ(At(it), "none");
}

}  // namespace
}  // namespace sstable::test
