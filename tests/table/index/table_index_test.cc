#include "table/index/table_index.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "table/block/block_builder.h"
#include "table/block/block_io.h"
#include "table/block/key_order.h"
#include "tests/support/comparators.h"
#include "tests/support/model_map.h"
#include "tests/support/order_cases.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "util/bytes.h"

namespace sstable::test {
namespace {

const CaseFoldingComparator kFolding;

BlockContents Contents(absl::string_view bytes) {
  BlockContents contents;
  contents.buffer.Append(bytes);
  contents.bytes = contents.buffer.view();
  return contents;
}

// Returns the index of consecutive blocks of 100 bytes each.
Entries IndexEntries(const std::vector<std::string>& separators) {
  Entries entries;
  for (const std::string& separator : separators) {
    entries.emplace_back(separator, BlockHandle{105 * entries.size(), 100}.Encode());
  }
  return entries;
}

// LevelDB's builder uses a restart interval of 1, other writers a larger one.
std::string BuildIndex(const std::vector<std::string>& separators, int restart_interval) {
  ByteBuffer out;
  BlockBuilder builder(restart_interval);
  builder.Start(&out);
  KeyBuffer key;
  for (const auto& [separator, handle] : IndexEntries(separators)) {
    const size_t shared = CommonPrefixSize(separator, key.view());
    key.Assign(separator);
    builder.Add(key.view(), handle, shared);
  }
  builder.Finish();
  return std::string(out.view());
}

struct ShapeCase {
  const char* name;
  std::vector<std::string> user_keys;  // in any order
};
std::vector<std::string> Numbered(absl::string_view prefix, int count, absl::string_view suffix) {
  std::vector<std::string> keys;
  for (int i = 0; i < count; ++i) keys.push_back(absl::StrCat(prefix, 1000 + i, suffix));
  return keys;
}
std::vector<std::string> With(std::vector<std::string> keys, std::vector<std::string> more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}
std::vector<std::string> RandomKeys(uint32_t seed) {
  Random random(seed);
  std::vector<std::string> keys(100);
  for (std::string& key : keys) key = RandomKey(&random);
  return keys;
}
const std::string kLong(100, 'p');
const ShapeCase kShapes[] = {
    {"NoBlock", {}},
    {"OneBlock", {"middle"}},
    {"OneBlockWithAnEmptyKey", {""}},
    {"TwoBlocks", {"abc", "b"}},
    {"TwoBlocksWithTheSameEightBytes", {"prefixed1", "prefixed2"}},
    {"ThreeBlocks", {"abc", "abd", "b"}},
    {"ShorterThanEightBytes", With(Numbered("", 50, ""), {"", "a", "b", "bb"})},
    {"LongCommonPrefix", Numbered(kLong, 50, "")},
    {"LongCommonPrefixAndAShortLast", With(Numbered(kLong, 50, ""), {"q"})},
    {"EightBytesDoNotTellApart", Numbered("12345678", 50, "")},
    {"SomeEightBytesDoNotTellApart",
     With(Numbered("aaaaaaaa", 9, ""), Numbered("aaaaaaab", 9, "x"))},
    {"OneIsThePrefixOfAll", With(Numbered(kLong, 20, ""), {kLong})},
    {"ZerosBehindTheEnd",
     {std::string("a"), std::string("a\0", 2), std::string("a\0\0", 3), std::string(9, '\0'),
      std::string("a\0\0\0\0\0\0\0\0", 9), std::string("a\0\0\0\0\0\0\0\1", 9), "b"}},
    {"AllOnes",
     {"\xff", "\xff\xff", std::string(8, '\xff'), std::string(9, '\xff'), std::string(20, '\xff')}},
    {"OneEveryByte",
     [] {
       std::vector<std::string> keys;
       for (int byte = 0; byte < 256; ++byte) keys.emplace_back(1, static_cast<char>(byte));
       return keys;
     }()},
    {"Random1", RandomKeys(1)},
    {"Random2", RandomKeys(2)},
    {"Random3", RandomKeys(3)},
};

// Returns the keys in order and without duplicates. As internal keys, some user keys have several
// versions.
std::vector<std::string> Separators(const KeyOrder& order,
                                    const std::vector<std::string>& user_keys) {
  ModelMap sorted(KeyLess{&order});
  for (size_t i = 0; i < user_keys.size(); ++i) {
    if (order.kind() == KeyKind::kPlain) {
      sorted[user_keys[i]];
      continue;
    }
    for (size_t version = 0; version <= i % 3; ++version) {
      sorted[MakeInternalKey(user_keys[i], version == 1 ? kMaxSequence : 5 + version,
                             ValueType::kValue)];
    }
  }
  std::vector<std::string> separators;
  for (const auto& entry : sorted) separators.push_back(entry.first);
  return separators;
}

class TableIndexFindTest
    : public testing::TestWithParam<std::tuple<OrderCase, ShapeCase, /*restart_interval*/ int>> {};
TEST_P(TableIndexFindTest, FindsTheFirstSeparatorNotBelowTheKey) {
  const auto& [order_case, shape, restart_interval] = GetParam();
  const KeyOrder order(order_case.comparator, order_case.kind);
  const std::vector<std::string> separators = Separators(order, shape.user_keys);
  ASSERT_OK_AND_ASSIGN(
      const TableIndex index,
      TableIndex::Parse(Contents(BuildIndex(separators, restart_interval)), &order, nullptr));
  ASSERT_OK(index.order_status());
  ASSERT_EQ(index.size(), separators.size());

  std::vector<std::string> targets = KeysAround(order, Separators(order, {"other"})[0]);
  for (const std::string& separator : separators) {
    for (std::string& key : KeysAround(order, separator)) targets.push_back(std::move(key));
  }
  for (const std::string& target : targets) {
    size_t expected = 0;
    while (expected < separators.size() &&
           order.comparator().Compare(separators[expected], target) < 0) {
      ++expected;
    }
    SCOPED_TRACE(absl::CHexEscape(target));
    size_t found;
    bool ends_user_key;
    ASSERT_OK(index.Find(order.Split(target), &found, &ends_user_key));
    ASSERT_EQ(found, expected);
    const auto check_other = [&](bool is_of_other) {
      if (!is_of_other) return;
      ASSERT_LT(expected, separators.size());
      ASSERT_NE(order.UserKey(separators[expected]), order.UserKey(target));
    };
    check_other(ends_user_key);
    if (index.TryFind(order.UserKey(target), &found)) {
      ASSERT_EQ(found, expected);
      check_other(true);
    }
    if (!index.has_tree()) continue;
    const LookupKey key = order.Split(target);
    const absl::string_view batch[] = {key.user_key, key.user_key};
    size_t places[2];
    bool are_of_other_keys[2];
    index.FindMany(batch, 2, key.tag, places, are_of_other_keys);
    for (int i : {0, 1}) {
      ASSERT_EQ(places[i], expected);
      ASSERT_EQ(are_of_other_keys[i], ends_user_key);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(OrdersAndShapes, TableIndexFindTest,
                         testing::Combine(testing::ValuesIn(OrderCases()),
                                          testing::ValuesIn(kShapes), testing::Values(1, 2, 16)),
                         [](const auto& info) {
                           return absl::StrCat(std::get<0>(info.param).name,
                                               std::get<1>(info.param).name, "Restart",
                                               std::get<2>(info.param));
                         });

}  // namespace
}  // namespace sstable::test
