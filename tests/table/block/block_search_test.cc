#include "table/block/block_search.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "table/block/block.h"
#include "table/block/key_order.h"
#include "tests/support/block_bytes.h"
#include "tests/support/model_map.h"
#include "tests/support/order_cases.h"
#include "tests/support/status_matchers.h"
#include "util/bytes.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

constexpr size_t kAll = std::numeric_limits<size_t>::max();

// Compares searches for targets near each key with std::map.
void ExpectSearchesLikeMap(const ModelMap& model, const KeyOrder& order, const Block& block) {
  for (const auto& model_entry : model) {
    for (const std::string& target_bytes : KeysAround(order, model_entry.first)) {
      SCOPED_TRACE(absl::StrCat("target ", absl::CHexEscape(target_bytes)));
      // A separate allocation, so that AddressSanitizer detects a read past it.
      const std::unique_ptr<char[]> copy(new char[target_bytes.size()]);
      std::copy(target_bytes.begin(), target_bytes.end(), copy.get());
      const absl::string_view target(copy.get(), target_bytes.size());

      KeyBuffer scratch;
      BlockSearchResult found;
      ASSERT_OK(SearchBlock(block, order, order.Split(target), &scratch, &found));
      const auto expected = model.lower_bound(target_bytes);
      ASSERT_EQ(found.entry == nullptr, expected == model.end());
      if (found.entry == nullptr) continue;
      ASSERT_EQ(found.BuildKey(&scratch), expected->first);
      ASSERT_EQ(found.value, expected->second);
      ASSERT_EQ(found.has_user_key, order.UserKey(expected->first) == order.UserKey(target));
      BlockEntry entry;
      ASSERT_TRUE(DecodeEntry(found.entry, block, &entry));
      ASSERT_EQ(entry.value().data(), found.value.data());
      ASSERT_EQ(entry.next(), found.next);
    }
  }
}

class BlockSearchTest
    : public testing::TestWithParam<std::tuple<OrderCase, /*restart_interval*/ int,
                                               /*max_shared*/ size_t>> {};
TEST_P(BlockSearchTest, FindsWhatAMapFinds) {
  const auto& [order_case, restart_interval, max_shared] = GetParam();
  const KeyOrder order(order_case.comparator, order_case.kind);
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Random random(seed);
    const ModelMap model = RandomModel(order, 5 + 60 * seed, &random);
    const PaddedBytes bytes(EncodeBlock(ToEntries(model), {restart_interval, max_shared}));
    ASSERT_OK_AND_ASSIGN(const Block block, Block::Parse(bytes.view()));
    ExpectSearchesLikeMap(model, order, block);
    if (HasFatalFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(OrdersAndShapes, BlockSearchTest,
                         testing::Combine(testing::ValuesIn(OrderCases()),
                                          testing::Values(1, 2, 3, 16, 1000),
                                          // writers may share less than they could
                                          testing::Values(size_t{0}, size_t{1}, size_t{3}, kAll)),
                         [](const auto& info) {
                           const size_t max_shared = std::get<2>(info.param);
                           return absl::StrCat(
                               std::get<0>(info.param).name, "Restart", std::get<1>(info.param),
                               "Shares", max_shared == kAll ? "All" : absl::StrCat(max_shared));
                         });

struct DamageCase {
  const char* name;
  std::string block;
  const char* error;
};
class BlockSearchDamageTest : public testing::TestWithParam<std::tuple<OrderCase, DamageCase>> {};
TEST_P(BlockSearchDamageTest, SaysWhereTheDamageIs) {
  const auto& [order_case, damage] = GetParam();
  const KeyOrder order(order_case.comparator, order_case.kind);
  const PaddedBytes bytes(damage.block);
  ASSERT_OK_AND_ASSIGN(const Block block, Block::Parse(bytes.view()));
  // Sorts after every key in either direction, so the whole block is searched.
  const bool reverse = order_case.comparator == ReverseBytewiseComparator();
  std::string target = reverse ? "" : "\xff\xff";
  if (order_case.kind == KeyKind::kInternal) target.append(8, '\0');
  KeyBuffer scratch;
  BlockSearchResult found;
  EXPECT_THAT(SearchBlock(block, order, order.Split(target), &scratch, &found),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(damage.error)));
}

std::string Key(absl::string_view user_key) { return absl::StrCat(user_key, "12345678"); }
const std::string kFirst = EncodeEntry(0, Key("m"), "1");  // 13 bytes
INSTANTIATE_TEST_SUITE_P(
    OrdersAndDamage, BlockSearchDamageTest,
    testing::Combine(
        testing::ValuesIn(OrderCases()),
        testing::ValuesIn<DamageCase>({
            {"FirstEntryShares", absl::StrCat(EncodeEntry(1, Key("m"), "1"), EncodeRestarts({0})),
             "restart point 0 at offset 0 shares 1 bytes of a key, expected 0"},
            {"SharesMoreThanTheKeyBefore",
             absl::StrCat(kFirst, EncodeEntry(10, "x", ""), EncodeRestarts({0})),
             "entry at offset 13 shares 10 bytes of a key of 9"},
            {"EntryLeavesTheBlock",
             absl::StrCat(kFirst, EncodeEntrySizes(0, 1, 2), EncodeRestarts({0})),
             "entry at offset 13: key bytes 1 and value bytes 2 are more than the 0 that remain"},
            {"SizesCutShort", absl::StrCat(kFirst, "\x01", EncodeRestarts({0})),
             "entry at offset 13: its three sizes are cut short"},
            {"RestartPointBehindTheEntries", absl::StrCat(kFirst, EncodeRestarts({0, 13})),
             "restart point 1 is at offset 13, past the entries' end at 13"},
            {"RestartPointFarAway", absl::StrCat(kFirst, EncodeRestarts({0, 0xfffffff0})),
             "restart point 1 is at offset 4294967280"},
            {"RestartPointShares",
             absl::StrCat(kFirst, EncodeEntry(9, "x", ""), EncodeRestarts({0, 13})),
             "restart point 1 at offset 13 shares 9 bytes of a key, expected 0"},
            {"RestartPointInTheMiddleOfAnEntry", absl::StrCat(kFirst, EncodeRestarts({0, 2})),
             "entry at offset 2"},
            {"FirstRestartPointBehindTheEntries", absl::StrCat(kFirst, EncodeRestarts({20})),
             "restart point 0 is at offset 20, past the entries' end at 13"},
            {"FirstRestartPointSkipsAnEntry",
             absl::StrCat(kFirst, EncodeEntry(0, Key("n"), ""), EncodeRestarts({13})),
             "restart point 0 is at offset 13, expected 0"},
        })),
    [](const auto& info) {
      return absl::StrCat(std::get<0>(info.param).name, std::get<1>(info.param).name);
    });

TEST(InternalSearchTest, KeysTooShortForATagAreComparedWithoutOne) {
  const KeyOrder order(BytewiseComparator(), KeyKind::kInternal);
  const PaddedBytes bytes(EncodeBlock({{"a", "1"}, {"b", "2"}}));
  ASSERT_OK_AND_ASSIGN(const Block block, Block::Parse(bytes.view()));
  KeyBuffer scratch;
  BlockSearchResult found;
  ASSERT_OK(SearchBlock(block, order, {"aa"}, &scratch, &found));
  EXPECT_EQ(found.value, "2");
  EXPECT_FALSE(found.has_user_key);
}

// Compares SearchBlock() with a search that rebuilds and compares every key from the start of the
// block.
void ExpectSearchesLikeRebuilding(const Block& block, const KeyOrder& order,
                                  const std::string& target) {
  SCOPED_TRACE(absl::StrCat("target ", absl::CHexEscape(target)));
  const char* expected = nullptr;
  std::string key;
  BlockEntry entry;
  for (const char* p = block.begin(); p < block.end(); p = entry.next()) {
    ASSERT_TRUE(DecodeEntry(p, block, &entry));
    key.resize(entry.shared);
    absl::StrAppend(&key, entry.key_suffix());
    if (order.Compare(key, target) >= 0) {
      expected = p;
      break;
    }
  }
  KeyBuffer scratch;
  BlockSearchResult found;
  ASSERT_OK(SearchBlock(block, order, order.Split(target), &scratch, &found));
  ASSERT_EQ(found.entry, expected);
  if (expected == nullptr) return;
  ASSERT_EQ(found.value, entry.value());
  ASSERT_EQ(found.next, entry.next());
  ASSERT_EQ(found.has_user_key, order.UserKey(key) == order.UserKey(target));
  ASSERT_EQ(found.BuildKey(&scratch), key);
}

// User keys are made of few different bytes, which also occur in tags. So keys are prefixes of each
// other, a tag continues like the next entry's user key, and versions share part of their tags,
// before and after restart points.
TEST(InternalSearchTest, FindsWhatRebuildingFindsWhereTagsAreShared) {
  const KeyOrder order(BytewiseComparator(), KeyKind::kInternal);
  const auto less = [&order](const std::string& a, const std::string& b) {
    return order.Compare(a, b) < 0;
  };
  Random random(1);
  const auto random_key = [&random] {
    std::string key;
    const size_t size = random() % 12;
    for (size_t i = 0; i < size; ++i) key.push_back(static_cast<char>(random() % 2));
    for (size_t i = 0; i < kTagSize; ++i) {
      key.push_back(static_cast<char>(random() % 4 < 3 ? 1 : random() % 3));
    }
    // Some keys are too short to have a tag.
    if (random() % 64 == 0) key.resize(random() % kTagSize);
    return key;
  };
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE(absl::StrCat("round ", round));
    std::set<std::string, decltype(less)> keys(less);
    const size_t count = 1 + random() % 60;
    for (size_t i = 0; i < count; ++i) keys.insert(random_key());
    std::vector<std::pair<std::string, std::string>> entries;
    for (const std::string& key : keys) entries.emplace_back(key, absl::StrCat(entries.size()));
    constexpr int kIntervals[] = {1, 2, 3, 7, 16};
    const size_t max_shared = round % 3 == 0 ? random() % 12 : kAll;
    const PaddedBytes bytes(EncodeBlock(entries, {kIntervals[round % 5], max_shared}));
    ASSERT_OK_AND_ASSIGN(const Block block, Block::Parse(bytes.view()));
    for (const auto& target : entries) {
      ExpectSearchesLikeRebuilding(block, order, target.first);
      if (testing::Test::HasFatalFailure()) return;
    }
    for (int i = 0; i < 60; ++i) {
      ExpectSearchesLikeRebuilding(block, order, random_key());
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// Lookups used to prefetch a whole block, even one of 64 MiB with a large value.
TEST(ForEachPrefetchTest, AsksForFewPlacesHoweverLargeTheBlock) {
  for (const size_t size :
       {size_t{8}, size_t{300}, size_t{4096}, size_t{1} << 16, size_t{1} << 30}) {
    for (const size_t restart_distance : {size_t{64}, size_t{400}, size_t{1} << 20}) {
      SCOPED_TRACE(
          absl::StrCat("block of ", size, " bytes, a restart point each ", restart_distance));
      std::vector<size_t> offsets;
      ForEachPrefetch(size, restart_distance, [&offsets](size_t at) { offsets.push_back(at); });
      EXPECT_LE(offsets.size(), 31);
      EXPECT_EQ(offsets[0], size - 4) << "the number of restart points";
      for (const size_t offset : offsets) EXPECT_LT(offset, size);
      if (size >= 16 * restart_distance) {
        EXPECT_THAT(offsets, testing::Contains(restart_distance));
        EXPECT_GT(offsets.size(), 20);
      }
    }
  }
}

}  // namespace
}  // namespace sstable::test
