#include "table/block/block_iterator.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "table/block/block.h"
#include "table/block/key_order.h"
#include "tests/support/block_bytes.h"
#include "tests/support/model_map.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_walk.h"

namespace sstable {
namespace {

using ::sstable::test::EncodeBlock;
using ::sstable::test::EncodeEntry;
using ::sstable::test::EncodeRestarts;
using ::sstable::test::ModelMap;
using ::sstable::test::PaddedBytes;
using ::sstable::test::Random;
using ::sstable::test::Walk;
using ::sstable::test::WalkBackward;
using ::sstable::test::WalkForward;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr size_t kAll = std::numeric_limits<size_t>::max();
const KeyOrder kBytewise(BytewiseComparator(), KeyKind::kPlain);

// The current entry as "key=value", or "none", or the error.
std::string At(const BlockIterator& it) {
  if (it.Valid()) return absl::StrCat(it.key(), "=", it.value());
  return it.status().ok() ? "none" : std::string(it.status().message());
}

class BlockIteratorShapeTest
    : public testing::TestWithParam<std::tuple</*restart_interval*/ int, /*max_shared*/ size_t>> {
 protected:
  void SetUp() override {
    Random random(7);
    model_ = test::RandomModel(kBytewise, 200, &random);
    bytes_.emplace(
        EncodeBlock(ToEntries(model_), {std::get<0>(GetParam()), std::get<1>(GetParam())}));
    const absl::StatusOr<Block> block = Block::Parse(bytes_->view());
    ASSERT_OK(block);
    block_ = *block;
  }

  ModelMap model_{test::KeyLess{&kBytewise}};
  std::optional<PaddedBytes> bytes_;
  Block block_;
};

TEST_P(BlockIteratorShapeTest, WalksBothWays) {
  BlockIterator it(&kBytewise, block_);
  const Walk forward = WalkForward(&it);
  EXPECT_OK(forward.status);
  EXPECT_EQ(forward.entries, ToEntries(model_));
  const Walk backward = WalkBackward(&it);
  EXPECT_OK(backward.status);
  EXPECT_EQ(backward.entries, ToEntries(model_));
}

TEST_P(BlockIteratorShapeTest, TurnsRoundOnEveryEntry) {
  BlockIterator it(&kBytewise, block_);
  it.SeekToFirst();
  for (auto expected = std::next(model_.begin()); expected != model_.end(); ++expected) {
    it.Next();
    ASSERT_TRUE(it.Valid());
    const size_t offset = it.entry_offset();
    it.Prev();
    ASSERT_EQ(At(it), absl::StrCat(std::prev(expected)->first, "=", std::prev(expected)->second));
    it.Next();
    ASSERT_EQ(At(it), absl::StrCat(expected->first, "=", expected->second));
    ASSERT_EQ(it.entry_offset(), offset);
  }
}

TEST_P(BlockIteratorShapeTest, MovesLikeAMap) {
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    BlockIterator it(&kBytewise, block_);
    auto expected = model_.end();
    for (int step = 0; step < 1000; ++step) {
      SCOPED_TRACE(absl::StrCat("seed ", seed, " step ", step));
      switch (test::Below(it.Valid() ? 8 : 3, &random)) {
        case 0:
          it.SeekToFirst();
          expected = model_.begin();
          break;
        case 1:
          it.SeekToLast();
          expected = std::prev(model_.end());
          break;
        case 2: {
          const std::string target = test::RandomKey(&random);
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

// Moves `it` by `try_step`, or by `step` if that does nothing, until it is past the end, and
// compares it with `reference`, which moves only by `step`. Returns how often `try_step` moved.
template <typename TryStep, typename Step>
size_t StepInLine(BlockIterator* it, BlockIterator* reference, TryStep try_step, Step step) {
  size_t count = 0;
  while (reference->Valid()) {
    step(reference);
    if (try_step(it)) {
      ++count;
    } else {
      step(it);
    }
    EXPECT_EQ(At(*it), At(*reference));
    if (At(*it) != At(*reference)) break;
    if (it->Valid()) {
      EXPECT_EQ(it->entry_offset(), reference->entry_offset());
    }
  }
  return count;
}

bool TryNext(BlockIterator* it) {
  const std::string before = At(*it);
  if (it->TryNext()) return true;
  EXPECT_EQ(At(*it), before) << "a step that can't be done in line must do nothing";
  return false;
}

// Steps back like TableIterator: in the iterator's key buffer, but not through the iterator.
bool TryPrev(BlockIterator* it) {
  const BlockIterator::Place place = it->place();
  size_t known = 0;
  const char* const p = it->PrepareStepBack(place.entry, place.key, place.key_room, &known);
  if (p == nullptr) return false;
  BlockEntry entry;
  EXPECT_TRUE(DecodeEntry(p, place.end, &entry));
  EXPECT_LE(entry.shared, known);
  const size_t key_size = size_t{entry.shared} + entry.unshared;
  if (key_size > place.key_room) return false;
  std::copy_n(entry.suffix, entry.unshared, place.key + entry.shared);
  it->Resume({p, entry.next(), place.end, entry.value(), place.key, key_size, place.key_room});
  it->EndStepBack();
  return true;
}

TEST_P(BlockIteratorShapeTest, StepsInLineWhereverTheyNeedNotSearch) {
  BlockIterator it(&kBytewise, block_), reference(&kBytewise, block_);
  it.SeekToFirst();
  reference.SeekToFirst();
  const size_t forward = StepInLine(&it, &reference, TryNext, [](BlockIterator* i) { i->Next(); });
  EXPECT_GE(forward, model_.size() * 9 / 10) << "only a key too long for its place needs more";
  it.SeekToLast();
  reference.SeekToLast();
  const size_t backward = StepInLine(&it, &reference, TryPrev, [](BlockIterator* i) { i->Prev(); });
  EXPECT_GE(backward, (model_.size() - block_.restart_count()) * 8 / 10);
}

TEST_P(BlockIteratorShapeTest, SeeksToViewsOfItsOwnKey) {
  BlockIterator it(&kBytewise, block_);
  for (const auto& [key, value] : model_) {
    it.Seek(key);
    ASSERT_EQ(At(it), absl::StrCat(key, "=", value));
    it.Seek(it.key());
    ASSERT_EQ(At(it), absl::StrCat(key, "=", value));
    const std::string shorter = key.substr(0, key.size() / 2);
    it.Seek(it.key().substr(0, key.size() / 2));
    ASSERT_EQ(it.key(), model_.lower_bound(shorter)->first);
    it.Seek(key);
    const auto expected = model_.lower_bound(key.substr(key.size() / 2));
    it.Seek(it.key().substr(key.size() / 2));
    ASSERT_EQ(it.Valid(), expected != model_.end());
    if (it.Valid()) {
      ASSERT_EQ(it.key(), expected->first);
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

TEST(BlockIteratorTest, IsOnNoEntryAtFirst) {
  const PaddedBytes bytes(EncodeBlock({{"a", "1"}}));
  ASSERT_OK_AND_ASSIGN(const Block block, Block::Parse(bytes.view()));
  EXPECT_EQ(At(BlockIterator(&kBytewise)), "none");
  EXPECT_EQ(At(BlockIterator(&kBytewise, block)), "none");
}

TEST(BlockIteratorTest, FindsNothingInAnEmptyBlock) {
  for (const std::vector<uint32_t>& restarts :
       {std::vector<uint32_t>{0}, std::vector<uint32_t>{}, std::vector<uint32_t>{0, 0}}) {
    const PaddedBytes bytes(EncodeRestarts(restarts));
    ASSERT_OK_AND_ASSIGN(const Block block, Block::Parse(bytes.view()));
    BlockIterator it(&kBytewise, block);
    EXPECT_THAT(WalkForward(&it).entries, IsEmpty());
    EXPECT_THAT(WalkBackward(&it).entries, IsEmpty());
    it.Seek("a");
    EXPECT_EQ(At(it), "none");
  }
}

TEST(BlockIteratorTest, ForgetsTheOldBlockAndItsErrorWhenReset) {
  const PaddedBytes bad(absl::StrCat(EncodeEntry(1, "a", ""), EncodeRestarts({0})));
  const PaddedBytes good(EncodeBlock({{"b", "2"}}));
  ASSERT_OK_AND_ASSIGN(const Block bad_block, Block::Parse(bad.view()));
  ASSERT_OK_AND_ASSIGN(const Block good_block, Block::Parse(good.view()));
  BlockIterator it(&kBytewise, bad_block);
  it.SeekToFirst();
  EXPECT_THAT(At(it), HasSubstr("shares 1 bytes of a key of 0"));
  it.Reset(good_block);
  EXPECT_EQ(At(it), "none");
  it.SeekToFirst();
  EXPECT_EQ(At(it), "b=2");
}

// Each entry shares less than the one before it, so a step back needs a byte that was written at
// the run's start; and some entries write others in between.
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

TEST(BlockIteratorTest, ValuesAreViewsOfTheBlock) {
  const PaddedBytes bytes(EncodeBlock({{"a", "1"}}));
  ASSERT_OK_AND_ASSIGN(const Block block, Block::Parse(bytes.view()));
  BlockIterator it(&kBytewise, block);
  it.Seek("a");
  EXPECT_EQ(it.value().data(), block.begin() + 4);
  it.SeekToLast();
  EXPECT_EQ(it.value().data(), block.begin() + 4);
}

}  // namespace
}  // namespace sstable
