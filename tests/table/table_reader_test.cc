#include "sstable/table_reader.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tests/support/allocations.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::unique_ptr<TableReader> OpenBytes(absl::string_view bytes,
                                       const TableReaderOptions& options = {}) {
  return TableReader::Open(NewMemoryFile(bytes, "t.ldb"), options).value();
}

Entries Numbers(int count) {
  Entries entries;
  for (int i = 0; i < count; ++i) {
    entries.emplace_back(absl::StrCat("key", 100000 + i), absl::StrCat("value", i));
  }
  return entries;
}

class LargeValueTest : public testing::TestWithParam<Compression> {};

TEST_P(LargeValueTest, Of64MiBIsReadAndMayBeAKey) {
  std::string value(64 << 20, 'v');
  for (size_t i = 0; i < value.size(); i += 1000)
    value[i] = static_cast<char>(i * 2654435761 >> 16);
  TableBuilderOptions options;
  options.compression = GetParam();
  const auto policy = NewBloomFilterPolicy(10);
  options.filter_policy = policy.get();
  {
    ASSERT_OK_AND_ASSIGN(const std::string bytes,
                         BuildTable(options, {{"a", "1"}, {"b", value}, {"c", "3"}}));
    const auto table = OpenBytes(bytes);
    std::string found;
    ASSERT_EQ(table->Get("b", &found).value(), Presence::kFound);
    EXPECT_TRUE(found == value);
    EXPECT_EQ(table->Get("a").value(), "1");
    EXPECT_EQ(table->Get("c").value(), "3");
  }
  options.filter_policy = nullptr;
  ASSERT_OK_AND_ASSIGN(const std::string key_bytes, BuildTable(options, {{value, "long key"}}));
  EXPECT_EQ(OpenBytes(key_bytes)->Get(value).value(), "long key");
}

INSTANTIATE_TEST_SUITE_P(Compressions, LargeValueTest,
                         testing::Values(Compression::kNone, Compression::kSnappy,
                                         Compression::kZstd, Compression::kRawDeflate));

TEST(TableReaderOpenTest, RefusesWhatIsNoTable) {
  EXPECT_THAT(TableReader::Open(NewMemoryFile("", "t.ldb")),
              StatusIs(absl::StatusCode::kDataLoss,
                       "t.ldb: not a LevelDB table: 0 bytes, fewer than the 48 of a footer"));
  EXPECT_THAT(
      TableReader::Open(NewMemoryFile(std::string(100, '\0'), "t.ldb")),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("t.ldb: not a LevelDB table: magic")));
  TableReaderOptions options;
  options.comparator = nullptr;
  EXPECT_THAT(TableReader::Open(NewMemoryFile(""), options),
              StatusIs(absl::StatusCode::kInvalidArgument, "table option comparator is null"));
}

TEST(TableReaderOpenTest, RefusesNull) {
  EXPECT_THAT(
      TableReader::Open(std::unique_ptr<RandomAccessFile>()).status(),
      StatusIs(absl::StatusCode::kInvalidArgument, "the file to read a table from is null"));
  TableReaderOptions options;
  options.filter_policies = {nullptr};
  EXPECT_THAT(TableReader::Open(NewMemoryFile(""), options).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "table option filter_policies has a null policy"));
  options = {};
  options.table_filter_policies = {nullptr};
  EXPECT_THAT(TableReader::Open(NewMemoryFile(""), options).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "table option table_filter_policies has a null policy"));
}

TEST(TableReaderTest, RefusesALookupWithoutATag) {
  TableBuilderOptions builder;
  TableReaderOptions reader;
  builder.key_kind = reader.key_kind = KeyKind::kInternal;
  const std::string key = MakeInternalKey("user10000500", 7, ValueType::kValue);
  const std::string bytes = BuildTable(builder, {{key, "v"}}).value();
  ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(NewMemoryFile(bytes, "t.ldb"), reader));
  for (const char* sought : {"user10000500", "user", ""}) {
    EXPECT_THAT(table->InternalGet(sought, [](absl::string_view, absl::string_view) { FAIL(); }),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("t.ldb: key \"", sought,
                                      "\" is not an internal key: expected 8 bytes of sequence and "
                                      "type at its end")));
  }
  int visited = 0;
  EXPECT_OK(table->InternalGet(key, [&](absl::string_view, absl::string_view) { ++visited; }));
  EXPECT_EQ(visited, 1);
}

// Users of LevelDB wrap comparator and policy themselves. Here the table does that; wrapping twice
// would strip 16 bytes.
TEST(TableReaderOpenTest, RefusesWhatIsWrappedForInternalKeysAlready) {
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
        if (kind == KeyKind::kPlain && wraps_policy) {
          EXPECT_OK(status);  // allowed: its filter is made of user keys and asked for user keys
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

TEST(TableReaderChecksumTest, AreRememberedForManyBlocks) {
  TableBuilderOptions options;
  options.block_size = 1;
  std::string bytes = BuildTable(options, Numbers(200)).value();
  const auto table = OpenBytes(bytes);
  ASSERT_EQ(IndexOf(*table)->size(), 200);
  const auto key_of = [](int i) { return absl::StrCat("key", 100000 + i); };
  for (int i = 0; i < 200; i += 3) EXPECT_OK(table->Get(key_of(i)));
  for (size_t i = 0; i < 200; ++i) bytes[IndexOf(*table)->record(i).block_offset + 15] = 'X';
  for (int i = 0; i < 200; ++i) EXPECT_EQ(table->Get(key_of(i)).ok(), i % 3 == 0) << i;
}

TEST(TableReaderAllocationTest, AHitAndAMissTakeNoMemory) {
  const auto policy = NewBloomFilterPolicy(10);
  for (const FilterPolicy* filter : {policy.get(), static_cast<const FilterPolicy*>(nullptr)}) {
    TableBuilderOptions options;
    options.compression = Compression::kNone;
    options.filter_policy = filter;
    ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, Numbers(1000)));
    const auto table = OpenBytes(bytes);
    std::string value(100, ' ');
    ASSERT_EQ(table->Get("key100000", &value).value(), Presence::kFound);
    const AllocationCounter allocations;
    for (int i = 0; i < 1000; ++i) {
      char key[] = "key100000";
      key[8] = static_cast<char>('0' + i % 10);
      key[7] = static_cast<char>('0' + i / 10 % 10);
      (void)table->Get(key, &value);
      key[8] = 'x';
      (void)table->Get(key, &value);
    }
    EXPECT_EQ(allocations.count(), 0);
  }
}

}  // namespace
}  // namespace sstable::test
