#include "table/metaindex.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/experimental/filter_report.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/experimental/table_stats.h"
#include "sstable/file.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "table/table_internals.h"
#include "tests/support/exact_filter_policy.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_parts.h"

namespace sstable {
namespace {

using ::sstable::test::StatusIs;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kBloomEntry[] = "filter.leveldb.BuiltinBloomFilter2";

// The metaindex block of a table that has none of the blocks.
Metaindex Parse(const test::Entries& entries) {
  test::TableAssembler table;
  for (const auto& [name, value] : entries) table.AddMetaEntry(name, value);
  const std::string bytes = table.Finish();
  return MetaindexOf(**TableReader::Open(NewMemoryFile(bytes)));
}
Metaindex MetaindexOfNames(const std::vector<std::string>& names) {
  test::Entries entries;
  for (size_t i = 0; i < names.size(); ++i) {
    entries.emplace_back(names[i], BlockHandle{10 * i, 5}.Encode());
  }
  return Parse(entries);
}

TEST(MetaindexTest, FindsABlockByItsWholeName) {
  const Metaindex metaindex = MetaindexOfNames({"a", "ab", "b"});
  ASSERT_NE(metaindex.Find("ab"), nullptr);
  EXPECT_EQ(metaindex.Find("ab")->handle, (BlockHandle{10, 5}));
  EXPECT_EQ(metaindex.Find("abc"), nullptr);
  EXPECT_EQ(metaindex.Find(""), nullptr);
}

TEST(MetaindexTest, KeepsTheEntriesBeforeADamagedOne) {
  const Metaindex metaindex = Parse({{"good", BlockHandle{0, 5}.Encode()}, {"later", "\xff"}});
  EXPECT_THAT(metaindex.status(),
              StatusIs(absl::StatusCode::kDataLoss, StartsWith("entry \"later\"")));
  ASSERT_EQ(metaindex.blocks().size(), 1);
  EXPECT_EQ(metaindex.blocks()[0].name, "good");
}

struct DialectCase {
  const char* name;
  std::vector<std::string> names;
  CompressionNumbering dialect;
};
class MetaindexDialectTest : public testing::TestWithParam<DialectCase> {};
TEST_P(MetaindexDialectTest, IsRocksDbsIfABlockHasItsName) {
  EXPECT_EQ(MetaindexOfNames(GetParam().names).dialect(), GetParam().dialect);
}
INSTANTIATE_TEST_SUITE_P(
    Names, MetaindexDialectTest,
    testing::ValuesIn<DialectCase>({
        {"None", {}, CompressionNumbering::kLevelDb},
        {"Properties", {"mine", "rocksdb.properties"}, CompressionNumbering::kRocksDb},
        {"FilterOfRocksDb", {"filter.rocksdb.BuiltinBloomFilter"}, CompressionNumbering::kLevelDb},
        {"Within", {"a.rocksdb.properties"}, CompressionNumbering::kLevelDb},
    }),
    [](const auto& info) { return info.param.name; });

struct FilterCase {
  const char* name;
  std::vector<std::string> names;
  const char* block;        // null: none
  const char* policy_name;  // null: not known
  absl::StatusCode code;
  const char* message;
};
class MetaindexFilterTest : public testing::TestWithParam<FilterCase> {};
TEST_P(MetaindexFilterTest, IsTheFirstThatIsKnownOrElseTheFirst) {
  const test::ExactFilterPolicy exact;
  const Metaindex metaindex = MetaindexOfNames(GetParam().names);
  const std::vector<const FilterPolicy*> user_policies = {&exact};
  const Metaindex::Filter found = metaindex.FindFilter(user_policies);
  EXPECT_THAT(found.status, StatusIs(GetParam().code, GetParam().message));
  ASSERT_EQ(found.block != nullptr, GetParam().block != nullptr);
  if (found.block != nullptr) {
    EXPECT_EQ(found.block->name, GetParam().block);
    EXPECT_EQ(absl::StrCat("filter.", found.policy_name), GetParam().block);
  }
  ASSERT_EQ(found.policy != nullptr, GetParam().policy_name != nullptr);
  if (found.policy != nullptr) {
    EXPECT_EQ(found.policy->Name(), GetParam().policy_name);
  }
}
INSTANTIATE_TEST_SUITE_P(
    Names, MetaindexFilterTest,
    testing::ValuesIn<FilterCase>({
        {"None",
         {},
         nullptr,
         nullptr,
         absl::StatusCode::kNotFound,
         "the table has no filter block"},
        {"OtherBlocks",
         {"a.filter.b", "filter", "filtering"},
         nullptr,
         nullptr,
         absl::StatusCode::kNotFound,
         "the table has no filter block"},
        {"OneKnown",
         {kBloomEntry},
         kBloomEntry,
         "leveldb.BuiltinBloomFilter2",
         absl::StatusCode::kOk,
         ""},
        {"KnownAmongOthers",
         {"filter.a", "filter.test.ExactFilter", "filter.z", "fullfilter.x"},
         "filter.test.ExactFilter",
         "test.ExactFilter",
         absl::StatusCode::kOk,
         ""},
        {"TwoKnown",
         {kBloomEntry, "filter.test.ExactFilter"},
         kBloomEntry,
         "leveldb.BuiltinBloomFilter2",
         absl::StatusCode::kOk,
         ""},
        {"Unknown",
         {"filter.a"},
         "filter.a",
         nullptr,
         absl::StatusCode::kUnimplemented,
         "filter policy \"a\" is not known"},
        {"WholeTableOfRocksDb",
         {"fullfilter.rocksdb.BuiltinBloomFilter"},
         nullptr,
         nullptr,
         absl::StatusCode::kUnimplemented,
         "\"fullfilter.rocksdb.BuiltinBloomFilter\" is one of RocksDB's filters that are not read"},
    }),
    [](const auto& info) { return info.param.name; });

// A table with a filter that lookups use, unless `filter` is given instead, between two others.
std::string TableOfThreeFilters(absl::string_view filter = "") {
  const auto policy = NewBloomFilterPolicy(10);
  FilterBlockBuilder builder(policy.get());
  builder.AddKey("key");
  const std::string bloom(*builder.Finish());
  test::TableAssembler table;
  table.AddDataBlock("key", {{"key", "value"}});
  table.AddMetaBlock("filter._", "???");  // the name of another writer
  table.AddMetaBlock(kBloomEntry, filter.empty() ? absl::string_view(bloom) : filter);
  table.AddMetaBlock("filter.zebra", "???");
  return table.Finish();
}

std::unique_ptr<TableReader> OpenBytes(absl::string_view bytes) {
  return TableReader::Open(NewMemoryFile(bytes)).value();
}

TEST(MetaindexUsersTest, ReportsAreOfTheFilterThatLookupsUse) {
  const std::string bytes = TableOfThreeFilters();
  const auto table = OpenBytes(bytes);
  ASSERT_OK(table->LoadFilter());
  EXPECT_EQ(MeasureFilter(*table, FilterProbes{/*random_keys=*/0, {}}).name,
            "leveldb.BuiltinBloomFilter2");
  EXPECT_THAT(CollectStats(*table).origin.marks,
              Contains("its filter has the name that LevelDB uses since 1.18"));
}

TEST(MetaindexUsersTest, ReportsAreOfTheFilterThatLookupsWouldUseIfItWereNotDamaged) {
  const std::string bytes = TableOfThreeFilters("bad");
  const auto table = OpenBytes(bytes);
  const FilterReport report = MeasureFilter(*table, FilterProbes{/*random_keys=*/0, {}});
  EXPECT_THAT(report.status,
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr(absl::StrCat("filter block at offset ", report.handle.offset))));
  EXPECT_EQ(report.name, "leveldb.BuiltinBloomFilter2");
}

struct NameCase {
  const char* name;
  const char* block;
  bool is_filter;
};
class SalvagedFilterTest : public testing::TestWithParam<NameCase> {};
TEST_P(SalvagedFilterTest, IsWantedWhereTheOldTableHadOne) {
  test::TableAssembler table;
  table.AddDataBlock("key", {{"key", "value"}});
  table.AddMetaBlock(GetParam().block, "bytes");
  const std::string bytes = table.Finish();
  ASSERT_OK_AND_ASSIGN(const auto salvager, Salvager::Open(*NewMemoryFile(bytes), {}));
  EXPECT_EQ(salvager->wants_filter(), GetParam().is_filter);
}
INSTANTIATE_TEST_SUITE_P(Names, SalvagedFilterTest,
                         testing::ValuesIn<NameCase>({
                             {"LevelDbs", kBloomEntry, true},
                             {"RocksDbsWhole", "fullfilter.some", true},
                             {"RocksDbsParts", "partitionedfilter.some", true},
                             {"AUsersBlock", "x.filter.y", false},
                         }),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable
