// Lookups in tables of internal keys: versions, snapshots, deletions.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_reader.h"
#include "table/index/table_index.h"
#include "tests/support/exact_filter_policy.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"
#include "util/coding.h"

namespace sstable {
namespace {

using ::sstable::test::BuildTable;
using ::sstable::test::Entries;
using ::sstable::test::StatusIs;
using ::sstable::test::TableAssembler;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Value(absl::string_view user_key, uint64_t sequence) {
  return MakeInternalKey(user_key, sequence, ValueType::kValue);
}
std::string Deletion(absl::string_view user_key, uint64_t sequence) {
  return MakeInternalKey(user_key, sequence, ValueType::kDeletion);
}

std::unique_ptr<TableReader> OpenInternal(absl::string_view bytes,
                                          std::vector<const FilterPolicy*> policies = {}) {
  TableReaderOptions options;
  options.key_kind = KeyKind::kInternal;
  options.filter_policies = std::move(policies);
  return TableReader::Open(NewMemoryFile(bytes, "t.ldb"), options).value();
}

// "value", "deleted", "absent", or the error.
std::string Find(const TableReader& table, absl::string_view user_key,
                 uint64_t snapshot = kMaxSequence) {
  std::string value;
  const absl::StatusOr<Presence> presence = table.Get(user_key, &value, {snapshot});
  if (!presence.ok()) return std::string(presence.status().message());
  return *presence == Presence::kFound     ? value
         : *presence == Presence::kDeleted ? "deleted"
                                           : "absent";
}

class InternalTableTest
    : public testing::TestWithParam<std::tuple</*block_size*/ size_t, /*with_filter*/ bool>> {
 protected:
  std::string Build(const Entries& entries) {
    TableBuilderOptions options;
    options.key_kind = KeyKind::kInternal;
    options.block_size = std::get<0>(GetParam());
    options.block_restart_interval = 3;
    if (std::get<1>(GetParam())) options.filter_policy = policy_.get();
    return BuildTable(options, entries).value();
  }

  const std::unique_ptr<const FilterPolicy> policy_ = NewBloomFilterPolicy(10);
};

TEST_P(InternalTableTest, ASnapshotSeesTheNewestVersionNotAboveIt) {
  const std::string bytes = Build({{Value("a", 5), "a5"},
                                   {Value("apple", 9), "apple9"},
                                   {Deletion("apple", 7), ""},
                                   {Value("apple", 3), "apple3"},
                                   {Value("b", kMaxSequence), "newest"},
                                   {Value("b", 0), "oldest"},
                                   {Deletion("c", 4), ""}});
  const auto table = OpenInternal(bytes);
  EXPECT_EQ(Find(*table, "apple"), "apple9");
  EXPECT_EQ(Find(*table, "apple", 9), "apple9");
  EXPECT_EQ(Find(*table, "apple", 8), "deleted");
  EXPECT_EQ(Find(*table, "apple", 7), "deleted");
  EXPECT_EQ(Find(*table, "apple", 6), "apple3");
  EXPECT_EQ(Find(*table, "apple", 3), "apple3");
  EXPECT_EQ(Find(*table, "apple", 2), "absent");
  EXPECT_EQ(Find(*table, "b"), "newest");
  EXPECT_EQ(Find(*table, "b", kMaxSequence - 1), "oldest");
  EXPECT_EQ(Find(*table, "b", 0), "oldest");
  EXPECT_EQ(Find(*table, "c"), "deleted");
  EXPECT_EQ(Find(*table, "c", 3), "absent");
  for (const char* absent : {"", "ap", "apples", "A", "bb", "d"}) {
    EXPECT_EQ(Find(*table, absent), "absent") << absent;
  }
}

TEST_P(InternalTableTest, GetGivesAValueOrNothing) {
  const std::string bytes = Build({{Value("a", 1), "1"}, {Deletion("b", 2), ""}});
  const auto table = OpenInternal(bytes);
  EXPECT_EQ(table->Get("a").value(), "1");
  EXPECT_EQ(table->Get("b").value(), std::nullopt);
  EXPECT_EQ(table->Get("c").value(), std::nullopt);
}

TEST_P(InternalTableTest, FindsVersionsThatGoOnOverManyBlocks) {
  Entries entries = {{Value("a", 1), "a1"}};
  for (uint64_t sequence = 200; sequence > 100; --sequence) {
    entries.emplace_back(Value("many", sequence), absl::StrCat("many", sequence));
  }
  entries.emplace_back(Value("manya", 1), "manya1");
  const std::string bytes = Build(entries);
  const auto table = OpenInternal(bytes);
  for (uint64_t snapshot = 101; snapshot <= 200; ++snapshot) {
    EXPECT_EQ(Find(*table, "many", snapshot), absl::StrCat("many", snapshot));
  }
  EXPECT_EQ(Find(*table, "many", 201), "many200");
  EXPECT_EQ(Find(*table, "many", 100), "absent");
  EXPECT_EQ(Find(*table, "man"), "absent");
  EXPECT_EQ(Find(*table, "manya"), "manya1");
}

TEST_P(InternalTableTest, FindsKeysThatSeparatorsWereShortenedTo) {
  // The first separator is the user key "b" with the newest tag, the second "d".
  const std::string bytes =
      Build({{Value("azzz", 1), "1"}, {Value("cccc", 1), "2"}, {Value("ezzz", 1), "3"}});
  const auto table = OpenInternal(bytes);
  EXPECT_EQ(Find(*table, "b"), "absent");
  EXPECT_EQ(Find(*table, "d"), "absent");
  EXPECT_EQ(Find(*table, "cccc"), "2");
  EXPECT_EQ(Find(*table, "f"), "absent");
}

TEST_P(InternalTableTest, InternalGetTakesAnInternalKey) {
  const std::string bytes = Build({{Value("a", 5), "a5"}, {Value("a", 3), "a3"}});
  const auto table = OpenInternal(bytes);
  std::string key, value;
  ASSERT_OK(table->InternalGet(Value("a", 4), [&](absl::string_view k, absl::string_view v) {
    key = std::string(k);
    value = std::string(v);
  }));
  EXPECT_EQ(key, Value("a", 3));
  EXPECT_EQ(value, "a3");
}

INSTANTIATE_TEST_SUITE_P(BlockSizes, InternalTableTest,
                         testing::Combine(testing::Values(1, 60, 4096), testing::Bool()));

TEST(InternalTableReaderTest, RefusesASnapshotAboveTheHighestSequence) {
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable({}, {}));
  EXPECT_THAT(Find(*OpenInternal(bytes), "a", kMaxSequence + 1),
              HasSubstr("snapshot 72057594037927936 is above the highest sequence"));
}

// Index keys that LevelDB would not write, but which are valid: each belongs to the next block's
// first user key.
class NextBlocksKeyTest : public testing::TestWithParam<std::tuple</*filter*/ int, int>> {};
TEST_P(NextBlocksKeyTest, VersionsBehindSuchASeparatorAreFound) {
  const auto& [filter_kind, index_interval] = GetParam();
  const std::vector<Entries> blocks = {
      {{Value("a", 9), "a9"}},
      {{Value("b", 8), "b8"}, {Value("b", 7), "b7"}},
      {{Value("b", 6), "b6"}, {Deletion("b", 5), ""}},
      {{Value("b", 4), "b4"}, {Value("c", 3), "c3"}},
      {{Value("d", 2), "d2"}},
  };
  const std::vector<std::string> separators = {
      Value("b", kMaxSequence),  // the newest tag, so below every version
      Value("b", 7),             // the block's last key
      Deletion("b", 5),
      Value("d", 3),  // above the snapshot of the version in the next block
      Value("d", 2),
  };
  const auto bloom = NewBloomFilterPolicy(10);
  const test::ExactFilterPolicy exact;
  const FilterPolicy* user_policy = filter_kind == 1 ? bloom.get() : &exact;
  const InternalFilterPolicy policy(user_policy);
  FilterBlockBuilder filter(&policy, /*base_lg=*/0);  // each block has its own filter
  TableAssembler assembler;
  for (size_t i = 0; i < blocks.size(); ++i) {
    filter.StartBlock(assembler.size());
    for (const auto& entry : blocks[i]) filter.AddKey(entry.first);
    assembler.AddDataBlock(separators[i], blocks[i]);
  }
  filter.StartBlock(assembler.size());
  if (filter_kind != 0) {
    assembler.AddMetaBlock(absl::StrCat("filter.", user_policy->Name()), *filter.Finish());
  }
  const std::string bytes = assembler.Finish({index_interval});
  const auto table = OpenInternal(bytes, {&exact});
  ASSERT_EQ(table->LoadFilter().ok(), filter_kind != 0) << table->LoadFilter();

  EXPECT_EQ(Find(*table, "a"), "a9");
  EXPECT_EQ(Find(*table, "a", 8), "absent");
  EXPECT_EQ(Find(*table, "b"), "b8");
  EXPECT_EQ(Find(*table, "b", 7), "b7");
  EXPECT_EQ(Find(*table, "b", 6), "b6");
  EXPECT_EQ(Find(*table, "b", 5), "deleted");
  EXPECT_EQ(Find(*table, "b", 4), "b4");
  EXPECT_EQ(Find(*table, "b", 3), "absent");
  EXPECT_EQ(Find(*table, "c"), "c3");
  EXPECT_EQ(Find(*table, "c", 2), "absent");
  EXPECT_EQ(Find(*table, "d"), "d2");
  EXPECT_EQ(Find(*table, "d", 2), "d2");
  EXPECT_EQ(Find(*table, "d", 1), "absent");
  EXPECT_EQ(Find(*table, "bb"), "absent");
  EXPECT_EQ(Find(*table, "e"), "absent");
}
INSTANTIATE_TEST_SUITE_P(FiltersAndIndexes, NextBlocksKeyTest,
                         testing::Combine(testing::Values(0, 1, 2), testing::Values(1, 16)));

TEST(InternalTableReaderTest, ALookupThatReadABlockForWantOfAFilterIsNoFilterNegative) {
  // The first block's filter rules it out; the separator leads to the second, which has no filter.
  const test::ExactFilterPolicy exact;
  const InternalFilterPolicy policy(&exact);
  FilterBlockBuilder filter(&policy, /*base_lg=*/0);
  filter.StartBlock(0);
  filter.AddKey(Value("a", 9));
  TableAssembler assembler;
  assembler.AddDataBlock(Value("b", kMaxSequence), {{Value("a", 9), "a9"}});
  assembler.AddDataBlock(Value("b", 8), {{Value("b", 8), "b8"}});
  assembler.AddMetaBlock("filter.test.ExactFilter", *filter.Finish());
  const std::string bytes = assembler.Finish();
  const auto table = OpenInternal(bytes, {&exact});
  EXPECT_EQ(Find(*table, "b"), "b8");
  EXPECT_EQ(table->stats().lookups, 1);
  EXPECT_EQ(table->stats().filter_negatives, 0);
  EXPECT_EQ(table->stats().filter_positives, 0);
}

// LevelDB's users wrap what they pass. Here the table does so; wrapping twice would strip 16 bytes.
TEST(InternalTableReaderTest, WhatIsWrappedAlreadyIsRefused) {
  const auto bloom = NewBloomFilterPolicy(10);
  const InternalFilterPolicy policy(bloom.get());
  const InternalKeyComparator comparator(BytewiseComparator());
  const std::string bytes = BuildTable({}, {}).value();
  std::string made;
  for (const KeyKind kind : {KeyKind::kPlain, KeyKind::kInternal}) {
    for (const bool wraps_policy : {false, true}) {
      TableBuilderOptions builder;
      TableReaderOptions reader;
      builder.key_kind = reader.key_kind = kind;
      if (wraps_policy) {
        builder.filter_policy = &policy;
        reader.filter_policies = {bloom.get(), &policy};
      } else {
        builder.comparator = reader.comparator = &comparator;
      }
      for (const absl::Status& status :
           {TableBuilder::Create(NewStringFile(&made), builder).status(),
            TableReader::Open(NewMemoryFile(bytes), reader).status()}) {
        if (kind == KeyKind::kPlain) {
          EXPECT_OK(status);  // filter of whole keys, which these strip
          continue;
        }
        EXPECT_THAT(status,
                    StatusIs(absl::StatusCode::kInvalidArgument,
                             AllOf(HasSubstr(wraps_policy ? "filter policy" : "comparator"),
                                   HasSubstr(wraps_policy ? "pass the policy of user keys"
                                                          : "pass the comparator of user keys"))));
      }
    }
  }
}

TEST(InternalTableReaderTest, SaysSoOfValueTypesThatItDoesNotKnow) {
  // RocksDB: 2 is a merge operand, 7 a single deletion. Neither has a value to return.
  for (uint8_t type : {2, 7, 31}) {
    std::string key = "key";
    AppendFixed64(&key, uint64_t{9} << 8 | type);
    TableAssembler assembler;
    assembler.AddDataBlock(key, {{key, "operand"}});
    const std::string bytes = assembler.Finish();
    const auto table = OpenInternal(bytes);
    std::string value;
    EXPECT_THAT(table->Get("key", &value),
                StatusIs(absl::StatusCode::kUnimplemented,
                         AllOf(HasSubstr("t.ldb: key \"key"),
                               HasSubstr("not an internal key of a value or a deletion"))));
  }
}

TEST(InternalTableReaderTest, SaysSoOfAKeyWithoutATagThatALookupFinds) {
  TableAssembler assembler;
  assembler.AddDataBlock(Value("c", 1), {{"b", "1"}, {Value("bb", 7), "2"}});
  const std::string bytes = assembler.Finish();
  const auto table = OpenInternal(bytes);
  const auto says_so = AllOf(HasSubstr("t.ldb: key \"b\""), HasSubstr("not an internal key"));
  EXPECT_THAT(Find(*table, "b"), says_so);
  EXPECT_EQ(Find(*table, "bb"), "2");

  std::string value;
  LookupRequest request;
  request.key = "b";
  request.value = &value;
  table->MultiGet(absl::MakeSpan(&request, 1));
  EXPECT_THAT(request.presence, StatusIs(absl::StatusCode::kUnimplemented, says_so));
}

TEST(InternalTableReaderTest, SaysSoOfKeysWithoutATag) {
  // A table of plain keys, read as one of internal keys: a key of it is neither absent nor deleted.
  for (const char* key : {"short", "long enough for a tag"}) {
    ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable({}, {{key, "1"}, {"\xff", "2"}}));
    EXPECT_THAT(Find(*OpenInternal(bytes), key),
                AllOf(HasSubstr("t.ldb: index block"), HasSubstr("is not an internal key")));
  }
}

}  // namespace
}  // namespace sstable
