// The kind and order of a table's keys, determined from the caller's knowledge and the keys.
#include "sstable/experimental/key_guess.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/experimental/layout.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"

namespace sstable {
namespace {

using ::sstable::test::Entries;

constexpr int kKeysPerBlock = 300;

TableKeys Resolve(const Entries& entries, TableBuilderOptions options,
                  const GivenKeys& given = {}) {
  std::string bytes;
  options.block_size = 1 << 20;
  const auto builder = *TableBuilder::Create(NewStringFile(&bytes), options);
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i > 0 && i % kKeysPerBlock == 0) {
      EXPECT_OK(builder->Flush());
    }
    EXPECT_OK(builder->Add(entries[i].first, entries[i].second));
  }
  EXPECT_OK(builder->Finish());
  const auto reader = TableReader::Open(NewMemoryFile(bytes));
  EXPECT_OK(reader.status());
  const auto keys = ResolveKeys(**reader, given);
  EXPECT_OK(keys.status());
  return *keys;
}

// Resolves a table with these keys in this order, by a writer that does not shorten index keys.
TableKeys ResolveInTheirOrder(const std::vector<std::string>& keys) {
  Entries entries;
  for (const std::string& key : keys) entries.emplace_back(key, "");
  TableBuilderOptions options;
  options.keep_input_order = true;
  const TableKeys resolved = Resolve(entries, options);
  EXPECT_EQ(resolved.key_kind, KeyKind::kPlain);
  return resolved;
}

std::vector<std::string> Ascending(int count) {
  std::vector<std::string> keys;
  for (int i = 0; i < count; ++i) keys.push_back(absl::StrFormat("key%06d", i));
  return keys;
}

std::string BigEndian(uint64_t number) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

TEST(DetectTest, KnowsTheTwoOrders) {
  std::vector<std::string> keys = Ascending(3 * kKeysPerBlock);
  EXPECT_EQ(ResolveInTheirOrder(keys).comparator, BytewiseComparator());
  EXPECT_EQ(ResolveInTheirOrder({keys.rbegin(), keys.rend()}).comparator,
            ReverseBytewiseComparator());
  const TableKeys one = ResolveInTheirOrder({"one"});
  EXPECT_EQ(one.comparator, BytewiseComparator());
  EXPECT_EQ(one.order_known_by, KnownBy::kNothing);
}

TEST(DetectTest, TwoKeysInReverseAreNoReverseOrder) {
  const TableKeys two = ResolveInTheirOrder({"b", "a"});
  EXPECT_EQ(two.comparator, nullptr);
  EXPECT_EQ(two.order_reason, "2 keys descend, too few to show an order");
  EXPECT_EQ(ResolveInTheirOrder({"e", "d", "c", "b", "a"}).comparator, ReverseBytewiseComparator());
}

// A lookup in a wrong order would report keys as absent, so keys out of order are detected
// anywhere.
TEST(DetectTest, OneKeyOutOfOrderIsAStrayWhereverItIs) {
  for (size_t at = 0; at + 1 < 3 * kKeysPerBlock; ++at) {
    std::vector<std::string> keys = Ascending(3 * kKeysPerBlock);
    std::swap(keys[at], keys[at + 1]);
    const TableKeys resolved = ResolveInTheirOrder(keys);
    ASSERT_EQ(resolved.comparator, BytewiseComparator()) << at;
    ASSERT_TRUE(resolved.has_out_of_order) << at;
    ASSERT_EQ(resolved.order_reason, "all but 1 of 900 keys ascend") << at;
  }
}

// Signed numbers, whose bytes are in another order.
TEST(DetectTest, TwoRunsAreAnOrderOfTheirOwn) {
  std::vector<std::string> keys;
  for (int number = -50; number < 50; ++number) {
    keys.push_back(BigEndian(static_cast<uint64_t>(int64_t{number})) + "key");
  }
  const TableKeys resolved = ResolveInTheirOrder(keys);
  EXPECT_EQ(resolved.comparator, nullptr);
  EXPECT_EQ(resolved.order_reason, "of 100 keys, 50 do not ascend and 98 do not descend");
}

// Blocks with these keys, in the given order.
TableKeys ResolveBlocks(const std::vector<std::vector<std::string>>& blocks) {
  std::string bytes;
  TableBuilderOptions options;
  options.keep_input_order = true;
  const auto builder = *TableBuilder::Create(NewStringFile(&bytes), options);
  for (const std::vector<std::string>& block : blocks) {
    for (const std::string& key : block) EXPECT_OK(builder->Add(key, ""));
    EXPECT_OK(builder->Flush());
  }
  EXPECT_OK(builder->Finish());
  const auto reader = TableReader::Open(NewMemoryFile(bytes));
  EXPECT_OK(reader.status());
  const auto keys = ResolveKeys(**reader);
  EXPECT_OK(keys.status());
  return *keys;
}

// Divides keys into blocks of these sizes, cyclically.
std::vector<std::vector<std::string>> CutIntoBlocks(const std::vector<std::string>& keys,
                                                    const std::vector<size_t>& sizes) {
  std::vector<std::vector<std::string>> blocks(1);
  for (const std::string& key : keys) {
    if (blocks.back().size() == sizes[(blocks.size() - 1) % sizes.size()]) blocks.emplace_back();
    blocks.back().push_back(key);
  }
  return blocks;
}

TEST(DetectTest, AVersionAmongThoseOfTheNextKeyIsOneStray) {
  Entries entries;
  for (const char user_key : {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'}) {
    for (const uint64_t sequence : {9, 6, 3}) {
      entries.emplace_back(MakeInternalKey(std::string(1, user_key), sequence, ValueType::kValue),
                           "");
    }
  }
  std::swap(entries[11], entries[12]);  // d @3 and e @9
  TableBuilderOptions options;
  options.keep_input_order = true;
  options.key_kind = KeyKind::kInternal;
  const TableKeys keys = Resolve(entries, options, {KeyKind::kInternal, nullptr});
  EXPECT_EQ(keys.comparator, BytewiseComparator());
  EXPECT_EQ(keys.order_reason, "all but 1 of 12 keys ascend");
}

// However few keys blocks have, and however different the blocks are.
TEST(DetectTest, TwoNeighbouringBlocksThatChangedPlacesAreStrays) {
  for (const std::vector<size_t>& sizes : std::vector<std::vector<size_t>>{{2}, {1, 3}, {5, 2}}) {
    for (const int count : {11, 14, 30}) {
      const auto in_order = CutIntoBlocks(Ascending(count), sizes);
      for (size_t at = 0; at + 1 < in_order.size(); ++at) {
        for (const bool reverse : {false, true}) {
          auto blocks = in_order;
          std::swap(blocks[at], blocks[at + 1]);
          if (reverse) {
            std::reverse(blocks.begin(), blocks.end());
            for (auto& block : blocks) std::reverse(block.begin(), block.end());
          }
          const TableKeys keys = ResolveBlocks(blocks);
          SCOPED_TRACE(absl::StrCat(count, " keys, blocks of ", sizes[0], ", ", at, ": ",
                                    keys.order_reason));
          ASSERT_EQ(keys.comparator, reverse ? ReverseBytewiseComparator() : BytewiseComparator());
          ASSERT_TRUE(keys.has_out_of_order);
        }
      }
    }
  }
  auto blocks = CutIntoBlocks(Ascending(12), {2});
  std::swap(blocks[3], blocks[4]);
  EXPECT_EQ(ResolveBlocks(blocks).order_reason,
            "all keys ascend, but for 1 data block that changed places with the next");
}

TEST(DetectTest, FewKeysInBlocksThatChangedPlacesShowNoOrder) {
  auto blocks = CutIntoBlocks(Ascending(7), {2});
  std::swap(blocks[1], blocks[2]);
  EXPECT_EQ(ResolveBlocks(blocks).comparator, nullptr) << "7 keys are too few";
  blocks = CutIntoBlocks(Ascending(12), {6});
  std::swap(blocks[0], blocks[1]);
  EXPECT_EQ(ResolveBlocks(blocks).comparator, nullptr) << "so do numbers with a sign look";
}

// Wherever the blocks end, with a few keys in each.
TEST(DetectTest, NumbersInSmallBlocksAreAnOrderOfTheirOwn) {
  std::vector<std::string> with_a_sign, as_text;
  for (int number = -6; number < 14; ++number) {
    with_a_sign.push_back(BigEndian(static_cast<uint64_t>(int64_t{number})) + "key");
  }
  for (int number = 1; number < 120; ++number) as_text.push_back(absl::StrCat("item", number));
  for (const auto& keys : {with_a_sign, as_text}) {
    for (const std::vector<size_t>& sizes :
         std::vector<std::vector<size_t>>{{1}, {2}, {1, 2}, {2, 1, 1}}) {
      const TableKeys resolved = ResolveBlocks(CutIntoBlocks(keys, sizes));
      EXPECT_EQ(resolved.comparator, nullptr) << resolved.order_reason;
    }
  }
}

TEST(DetectTest, WhatIsGivenStands) {
  Entries entries;
  for (const std::string& key : Ascending(20)) entries.emplace_back(key, "");
  const TableKeys keys = Resolve(entries, {}, {KeyKind::kInternal, ReverseBytewiseComparator()});
  EXPECT_EQ(keys.key_kind, KeyKind::kInternal);
  EXPECT_EQ(keys.kind_known_by, KnownBy::kCaller);
  EXPECT_EQ(keys.comparator, ReverseBytewiseComparator());
  EXPECT_EQ(keys.order_known_by, KnownBy::kCaller);
  EXPECT_FALSE(Resolve(entries, {}, {KeyKind::kInternal, nullptr}).kind_fits);
  EXPECT_TRUE(Resolve(entries, {}, {KeyKind::kPlain, nullptr}).kind_fits);
}

struct KindCase {
  const char* name;
  Entries entries;
  bool filter;
  KeyKind written;  // the kind for which the builder wrote it
  KnownBy known_by;
};

// Text, then a number as 8 bytes.
Entries Numbered(uint64_t start, uint64_t step, int count, absl::string_view value) {
  Entries entries;
  for (int i = 0; i < count; ++i) {
    entries.emplace_back(absl::StrFormat("user%04d", i) + BigEndian(start + i * step),
                         std::string(value));
  }
  return entries;
}

Entries Versions(int count, uint64_t first_sequence, uint64_t step) {
  Entries entries;
  for (int i = 0; i < count; ++i) {
    entries.emplace_back(MakeInternalKey(absl::StrFormat("user%04d", i), first_sequence + i * step,
                                         ValueType::kValue),
                         "value");
  }
  return entries;
}

// Never shortened, since they have one byte.
Entries ShortVersions(int count, ValueType type, absl::string_view value) {
  Entries entries;
  for (int i = 0; i < count; ++i) {
    entries.emplace_back(MakeInternalKey(std::string(1, static_cast<char>('a' + i)), 7 + i, type),
                         std::string(value));
  }
  return entries;
}

Entries OldVersions() {
  Entries entries;
  for (uint64_t sequence = 300; sequence > 297; --sequence) {
    entries.emplace_back(MakeInternalKey("a", sequence * 200, ValueType::kValue), "");
  }
  return entries;
}

// It is shorter than the last key of its block, but was not shortened.
TEST(DetectTest, AnIndexKeyThatIsAKeyShowsNoKind) {
  const std::string low = MakeInternalKey("bcd", 5, ValueType::kValue);
  const std::string high = MakeInternalKey("c", 6, ValueType::kValue);
  for (const bool swapped_blocks : {false, true}) {
    test::TableAssembler table;
    if (swapped_blocks) {
      table.AddDataBlock(low, {{high, ""}});
      table.AddDataBlock(high, {{low, ""}});
    } else {
      table.AddDataBlock(high, {{high, ""}, {low, ""}});
    }
    const std::string bytes = table.Finish();
    const auto reader = TableReader::Open(NewMemoryFile(bytes));
    EXPECT_OK(reader.status());
    const auto keys = ResolveKeys(**reader);
    EXPECT_OK(keys.status());
    EXPECT_EQ(keys->key_kind, KeyKind::kInternal) << keys->kind_reason;
    EXPECT_EQ(keys->kind_known_by, KnownBy::kNothing) << keys->kind_reason;
  }
}

// As if the metaindex had been written over the second of two blocks.
TEST(DetectTest, AShortenedIndexKeyShowsTheKindOfAKeyThatIsNotItsBlocks) {
  const std::string key = MakeInternalKey("folder7", 5, ValueType::kValue);
  test::TableAssembler table;
  table.AddDataBlock(key, {{key, ""}});
  table.AddDataBlock(MakeInternalKey("g", kMaxSequence, ValueType::kValue),
                     {{"filter.leveldb.BuiltinBloomFilter2", ""}});
  const std::string bytes = table.Finish();
  const auto reader = TableReader::Open(NewMemoryFile(bytes));
  ASSERT_OK(reader.status());
  const auto keys = ResolveKeys(**reader);
  ASSERT_OK(keys.status());
  EXPECT_EQ(keys->key_kind, KeyKind::kInternal) << keys->kind_reason;
}

// If no index key is shortened, there is less evidence.
TEST(DetectTest, LooksForABlockThatCanBeRead) {
  std::string bytes;
  TableBuilderOptions options;
  options.key_kind = KeyKind::kInternal;
  const auto builder = *TableBuilder::Create(NewStringFile(&bytes), options);
  for (uint64_t i = 0; i < 40; ++i) {
    for (uint64_t n = 0; n < 10; ++n) {
      const std::string user_key = absl::StrFormat("key%04d", 100 * i + n);
      ASSERT_OK(builder->Add(MakeInternalKey(user_key, 7 * i + n, ValueType::kValue), ""));
    }
    ASSERT_OK(builder->Flush());
  }
  ASSERT_OK(builder->Finish());
  const auto intact = *TableReader::Open(NewMemoryFile(bytes));
  for (const BlockInfo& block : DescribeLayout(*intact).blocks) {
    if (block.kind == BlockKind::kData && block.name.find("key01") != 0)
      bytes[block.handle.offset] ^= 1;
  }
  const auto reader = *TableReader::Open(NewMemoryFile(bytes));
  const auto keys = ResolveKeys(*reader, {});
  ASSERT_OK(keys);
  EXPECT_EQ(keys->key_kind, KeyKind::kInternal);
  EXPECT_EQ(keys->kind_known_by, KnownBy::kEvidence);
}

TEST(DetectTest, SaysWhatDoesNotDecide) {
  TableBuilderOptions options;
  options.keep_input_order = true;
  const TableKeys open = Resolve({{std::string(8, 0), ""}}, options);
  EXPECT_EQ(open.kind_known_by, KnownBy::kNothing);
  EXPECT_EQ(open.kind_reason, "1 of 1 keys end in a valid tag, which is not conclusive");
  // A deletion with a value, and a sequence of 7 * 2^48.
  const TableKeys number = Resolve(Numbered(7, 1, 1, "v"), options);
  EXPECT_EQ(number.key_kind, KeyKind::kPlain);
  EXPECT_EQ(number.kind_known_by, KnownBy::kEvidence);
}

class KindTest : public testing::TestWithParam<KindCase> {};

TEST_P(KindTest, IsTheWritersOrSaidToBeOpen) {
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.key_kind = GetParam().written;
  if (GetParam().filter) options.filter_policy = policy.get();
  const TableKeys keys = Resolve(GetParam().entries, options);
  EXPECT_EQ(keys.kind_known_by, GetParam().known_by) << keys.kind_reason;
  if (GetParam().known_by == KnownBy::kNothing) return;
  EXPECT_EQ(keys.key_kind, GetParam().written) << keys.kind_reason;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, KindTest,
    testing::ValuesIn<KindCase>({
        {"TextAndNumber", Numbered(1, 1, 1000, "v"), false, KeyKind::kPlain, KnownBy::kEvidence},
        {"TextAndNumberOnce", Numbered(1, 1, 1, "v"), false, KeyKind::kPlain, KnownBy::kEvidence},
        {"TextAndNumberNoValues", Numbered(1, 1, 1000, ""), false, KeyKind::kPlain,
         KnownBy::kEvidence},
        {"TextAndLargeNumber", Numbered(uint64_t{1} << 56, 1, 40, "v"), false, KeyKind::kPlain,
         KnownBy::kEvidence},
        {"TextAndNumberThatSharesItsLowBytes", Numbered(0, 0x10000, 40, "v"), false,
         KeyKind::kPlain, KnownBy::kEvidence},
        {"TextAndNumberWithAFilter", Numbered(1, 1, 40, "v"), true, KeyKind::kPlain,
         KnownBy::kEvidence},
        {"Text", {{"apple", ""}}, false, KeyKind::kPlain, KnownBy::kEvidence},
        {"ZeroesAlone", {{std::string(8, 0), ""}}, false, KeyKind::kPlain, KnownBy::kEvidence},
        {"Nothing", {}, false, KeyKind::kPlain, KnownBy::kNothing},
        {"Versions", Versions(1000, 1, 1), false, KeyKind::kInternal, KnownBy::kEvidence},
        {"OneVersion", Versions(1, 5, 1), false, KeyKind::kInternal, KnownBy::kEvidence},
        {"VersionsOfOneWrite", Versions(1000, 5, 0), false, KeyKind::kInternal, KnownBy::kEvidence},
        {"VersionsWithAFilter", Versions(3, 5, 1), true, KeyKind::kInternal, KnownBy::kEvidence},
        {"ShortVersions", ShortVersions(20, ValueType::kValue, "v"), false, KeyKind::kInternal,
         KnownBy::kEvidence},
        {"ShortDeletions", ShortVersions(20, ValueType::kDeletion, ""), false, KeyKind::kInternal,
         KnownBy::kEvidence},
        {"FewShortVersions", ShortVersions(3, ValueType::kValue, "v"), false, KeyKind::kInternal,
         KnownBy::kNothing},
        {"ShortDeletionsWithValues", ShortVersions(20, ValueType::kDeletion, "v"), false,
         KeyKind::kInternal, KnownBy::kNothing},
        {"OldVersionsOfAKey", OldVersions(), false, KeyKind::kInternal, KnownBy::kEvidence},
    }),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable
