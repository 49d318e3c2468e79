// Whether a reader consults the filter, why not, and what it counts. A filter never hides a key.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "filter/bloom_filter_policy.h"
#include "filter/filter_block_builder.h"
#include "filter/filter_block_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/options.h"
#include "table/table_index.h"
#include "table/table_reader.h"
#include "tests/support/exact_filter_policy.h"
#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"
#include "util/file.h"
#include "util/internal_key.h"

namespace sstable {
namespace {

using ::sstable::test::BuildTable;
using ::sstable::test::Entries;
using ::sstable::test::ExactFilterPolicy;
using ::sstable::test::FromHex;
using ::sstable::test::StatusIs;
using ::sstable::test::TableAssembler;
using ::testing::HasSubstr;

constexpr char kBloomEntry[] = "filter.leveldb.BuiltinBloomFilter2";

std::unique_ptr<TableReader> OpenBytes(absl::string_view bytes,
                                       const TableReaderOptions& options = {}) {
  return TableReader::Open(options, NewMemoryFile(bytes, "t.ldb")).value();
}

// Blocks of two entries each, at offsets 0, 24, 48 and so on.
Entries FewEntries() {
  return {{"apple", "1"}, {"beet", "2"},  {"cherry", "3"},
          {"date", "4"},  {"elder", "5"}, {"fig", "6"}};
}
std::vector<BlockHandle> AddBlocks(const Entries& entries, TableAssembler* assembler) {
  std::vector<BlockHandle> handles;
  for (size_t i = 0; i < entries.size(); i += 2) {
    handles.push_back(assembler->AddDataBlock(entries[i + 1].first,
                                              {entries.begin() + i, entries.begin() + i + 2}));
  }
  return handles;
}

void ExpectAllFound(const TableReader& table, const Entries& entries) {
  for (const auto& [key, value] : entries) {
    ASSERT_OK_AND_ASSIGN(const auto found, table.Get(key));
    EXPECT_EQ(found, value) << key;
  }
}

TEST(FilterStatusTest, IsOkIfLookupsAskIt) {
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.filter_policy = policy.get();
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, FewEntries()));
  const auto table = OpenBytes(bytes);
  EXPECT_OK(table->filter_status());
  ASSERT_NE(table->filter(), nullptr);
  EXPECT_EQ(table->filter()->policy()->Name(), policy->Name());
  ExpectAllFound(*table, FewEntries());
}

TEST(FilterStatusTest, SaysThatThereIsNone) {
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable({}, FewEntries()));
  const auto table = OpenBytes(bytes);
  EXPECT_THAT(table->filter_status(),
              StatusIs(absl::StatusCode::kNotFound, "the table has no filter block"));
  EXPECT_EQ(table->filter(), nullptr);
  ExpectAllFound(*table, FewEntries());
}

TEST(FilterStatusTest, SaysThatTheOptionsTurnItOff) {
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.filter_policy = policy.get();
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, FewEntries()));
  TableReaderOptions reader;
  reader.use_filter = false;
  const auto table = OpenBytes(bytes, reader);
  EXPECT_THAT(table->filter_status(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                               "the filter is turned off by the options"));
  EXPECT_EQ(table->filter(), nullptr);
  ExpectAllFound(*table, FewEntries());
}

TEST(FilterStatusTest, SaysThatThePolicyIsUnknown) {
  const ExactFilterPolicy policy("test.Strange\n");
  TableBuilderOptions options;
  options.filter_policy = &policy;
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, FewEntries()));
  const auto table = OpenBytes(bytes);
  EXPECT_THAT(table->filter_status(), StatusIs(absl::StatusCode::kUnimplemented,
                                               "filter policy \"test.Strange\\n\" is not known"));
  ExpectAllFound(*table, FewEntries());
}

TEST(FilterStatusTest, TakesTheFirstPolicyThatIsKnown) {
  const ExactFilterPolicy policy;
  TableAssembler assembler;
  AddBlocks(FewEntries(), &assembler);
  assembler.AddMetaBlock("filter.a.strange.one", "???");
  FilterBlockBuilder filter(&policy);
  for (const auto& entry : FewEntries()) filter.AddKey(entry.first);
  assembler.AddMetaBlock("filter.test.ExactFilter", *filter.Finish());
  assembler.AddMetaBlock("filter.zebra", "???");
  const std::string bytes = assembler.Finish();
  TableReaderOptions options;
  options.filter_policies = {&policy};
  const auto table = OpenBytes(bytes, options);
  EXPECT_OK(table->filter_status());
  EXPECT_EQ(table->filter()->policy()->Name(), "test.ExactFilter");
}

struct BadFilterCase {
  const char* name;
  std::string block;
  uint8_t type;
  absl::StatusCode code;
  const char* error;
};
class BadFilterTest : public testing::TestWithParam<BadFilterCase> {};
TEST_P(BadFilterTest, IsNotAskedAndSaysWhy) {
  TableAssembler assembler;
  AddBlocks(FewEntries(), &assembler);
  const BlockHandle handle = assembler.AddMetaBlock(kBloomEntry, GetParam().block, GetParam().type);
  const std::string bytes = assembler.Finish();
  const auto table = OpenBytes(bytes);
  EXPECT_THAT(table->filter_status(),
              StatusIs(GetParam().code,
                       testing::AllOf(HasSubstr(absl::StrCat("t.ldb: filter block at offset ",
                                                             handle.offset, " (", handle.size)),
                                      HasSubstr(GetParam().error))));
  EXPECT_EQ(table->filter(), nullptr);
  ExpectAllFound(*table, FewEntries());
  EXPECT_EQ(table->Get("absent").value(), std::nullopt);
}
INSTANTIATE_TEST_SUITE_P(
    Filters, BadFilterTest,
    testing::ValuesIn<BadFilterCase>({
        {"Empty", "", 0, absl::StatusCode::kDataLoss, "filter block has 0 bytes"},
        {"ArrayBehindTheEnd", FromHex("01000000 0b"), 0, absl::StatusCode::kDataLoss,
         "offset array starts at 1, past its end at 0"},
        {"BaseLgTooLarge", FromHex("00000000 40"), 0, absl::StatusCode::kDataLoss, "base lg is 64"},
        {"UnknownCodec", FromHex("00000000 0b"), 9, absl::StatusCode::kUnimplemented,
         "compression type 9"},
    }),
    [](const auto& info) { return info.param.name; });

TEST(FilterStatusTest, SaysThatTheChecksumDiffers) {
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.filter_policy = policy.get();
  ASSERT_OK_AND_ASSIGN(std::string bytes, BuildTable(options, FewEntries()));
  const BlockHandle handle = OpenBytes(bytes)->meta_blocks().at(0).handle;
  bytes[handle.offset] = static_cast<char>(bytes[handle.offset] ^ 1);
  // Also where the checksums of data blocks are not looked at.
  for (VerifyChecksums verify : {VerifyChecksums::kFirstTouch, VerifyChecksums::kNever}) {
    TableReaderOptions reader;
    reader.verify_checksums = verify;
    const auto table = OpenBytes(bytes, reader);
    EXPECT_THAT(table->filter_status(),
                StatusIs(absl::StatusCode::kDataLoss,
                         testing::AllOf(HasSubstr("t.ldb: filter block at offset"),
                                        HasSubstr("crc32c stored 0x"))));
    ExpectAllFound(*table, FewEntries());
  }
}

TEST(FilterStatusTest, SaysThatTheMetaindexIsDamaged) {
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.filter_policy = policy.get();
  ASSERT_OK_AND_ASSIGN(std::string bytes, BuildTable(options, FewEntries()));
  const uint64_t offset = OpenBytes(bytes)->footer().metaindex.offset;
  bytes[offset] = static_cast<char>(bytes[offset] ^ 1);
  const auto table = OpenBytes(bytes);
  EXPECT_THAT(table->metaindex_status(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("t.ldb: metaindex block at offset")));
  EXPECT_EQ(table->filter_status(), table->metaindex_status());
  ExpectAllFound(*table, FewEntries());
}

TEST(FilterStatusTest, SaysThatTheFirstKeyIsNotInIt) {
  // A filter of whole keys, which would be asked for the same keys less their last 8 bytes.
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.filter_policy = policy.get();
  Entries entries;
  for (const char* key : {"apple", "beet", "cherry"}) {
    entries.emplace_back(MakeInternalKey(key, 1, ValueType::kValue), key);
  }
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, entries));
  TableReaderOptions reader;
  reader.key_kind = KeyKind::kInternal;
  const auto table = OpenBytes(bytes, reader);
  EXPECT_THAT(table->filter_status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("filter \"leveldb.BuiltinBloomFilter2\" does not know the table's "
                                 "first key \"apple\\x01\\x01")));
  EXPECT_EQ(table->filter(), nullptr);
  ExpectAllFound(*table, {{"apple", "apple"}, {"beet", "beet"}, {"cherry", "cherry"}});
}

// A window that has no filter to ask, though the table has a filter block.
struct WindowCase {
  const char* name;
  const char* filter_block;
};
class NoFilterForBlockTest : public testing::TestWithParam<WindowCase> {};
TEST_P(NoFilterForBlockTest, HidesNoKey) {
  TableAssembler assembler;
  AddBlocks(FewEntries(), &assembler);
  assembler.AddMetaBlock(kBloomEntry, FromHex(GetParam().filter_block));
  const std::string bytes = assembler.Finish();
  const auto table = OpenBytes(bytes);
  EXPECT_OK(table->filter_status());
  ExpectAllFound(*table, FewEntries());
  EXPECT_EQ(table->Get("absent").value(), std::nullopt);
  EXPECT_EQ(table->index()->blocks_without_filter(), 3);
  EXPECT_EQ(table->stats().filter_negatives, 0);
  EXPECT_EQ(table->stats().filter_positives, 0);
}
INSTANTIATE_TEST_SUITE_P(Windows, NoFilterForBlockTest,
                         testing::ValuesIn<WindowCase>({
                             {"Empty", "00000000 00000000 0b"},
                             {"EmptyBehindAnother", "aabb 02000000 02000000 0b"},
                             {"None", "00000000 0b"},
                             {"NoneButBytes", "aabb 02000000 0b"},
                             {"StartsBehindTheArray", "09000000 00000000 0b"},
                             {"EndsBehindTheArray", "00000000 09000000 00000000 0b"},
                             {"StartsBehindItsEnd", "aabb 02000000 01000000 02000000 0b"},
                         }),
                         [](const auto& info) { return info.param.name; });

TEST(ReaderStatsTest, CountWhatLookupsDo) {
  const ExactFilterPolicy policy;
  FilterBlockBuilder filter(&policy, /*base_lg=*/0);
  TableAssembler assembler;
  Entries entries = FewEntries();
  for (size_t i = 0; i < entries.size(); i += 2) {
    filter.StartBlock(assembler.size());
    filter.AddKey(entries[i].first);
    filter.AddKey(entries[i + 1].first);
    assembler.AddDataBlock(absl::StrCat(entries[i + 1].first, "z"),
                           {entries.begin() + i, entries.begin() + i + 2});
  }
  filter.StartBlock(assembler.size());
  assembler.AddDataBlock("o", {{"m", "13"}, {"n", "14"}});  // past the last window
  assembler.AddMetaBlock("filter.test.ExactFilter", *filter.Finish());
  const std::string bytes = assembler.Finish();
  TableReaderOptions options;
  options.filter_policies = {&policy};
  const auto table = OpenBytes(bytes, options);

  ReaderStats expected;
  const auto expect = [&](const char* after) {
    SCOPED_TRACE(after);
    const ReaderStats stats = table->stats();
    EXPECT_EQ(stats.lookups, expected.lookups);
    EXPECT_EQ(stats.filter_negatives, expected.filter_negatives);
    EXPECT_EQ(stats.filter_positives, expected.filter_positives);
    EXPECT_EQ(stats.false_positives, expected.false_positives);
    EXPECT_EQ(stats.blocks_read, expected.blocks_read);
    EXPECT_EQ(stats.bytes_read, expected.bytes_read);
  };
  const auto count_block = [&](size_t i) {
    ++expected.blocks_read;
    expected.bytes_read += table->index()->record(i).block_size + 5;
  };
  expect("opening");
  EXPECT_OK(table->LoadIndex());
  count_block(0);  // to see whether the filter knows the first key
  expect("loading");
  EXPECT_EQ(table->Get("beet").value(), "2");
  ++expected.lookups;
  ++expected.filter_positives;
  count_block(0);
  expect("a hit");
  EXPECT_EQ(table->Get("bees").value(), std::nullopt);
  ++expected.lookups;
  ++expected.filter_negatives;
  expect("a miss that the filter saw");
  EXPECT_EQ(table->Get("maybe").value(), std::nullopt);
  ++expected.lookups;
  count_block(3);
  expect("a miss where there is no filter");
  EXPECT_EQ(table->Get("zebra").value(), std::nullopt);
  ++expected.lookups;
  expect("a miss that the index saw");
  EXPECT_OK(table->InternalGet("fig", [](absl::string_view, absl::string_view) {}));
  ++expected.lookups;
  ++expected.filter_positives;
  count_block(2);
  expect("InternalGet");
}

TEST(ReaderStatsTest, CountFalsePositives) {
  const ExactFilterPolicy policy;
  TableBuilderOptions options;
  options.filter_policy = &policy;
  ASSERT_OK_AND_ASSIGN(const std::string bytes,
                       BuildTable(options, {{"a", "1"}, {"maybe1", "2"}, {"z", "3"}}));
  TableReaderOptions reader;
  reader.filter_policies = {&policy};
  const auto table = OpenBytes(bytes, reader);
  EXPECT_EQ(table->Get("maybe0").value(), std::nullopt) << "between two keys";
  EXPECT_EQ(table->Get("maybe1").value(), "2");
  EXPECT_EQ(table->stats().filter_positives, 2);
  EXPECT_EQ(table->stats().false_positives, 1);
  EXPECT_EQ(table->stats().filter_negatives, 0);
}

TEST(ReaderStatsTest, CountEachLookupOnceWhereSeveralBlocksAreAsked) {
  // The separators carry the looked-up user key, so more than one filter is asked.
  const ExactFilterPolicy policy;
  TableBuilderOptions options;
  options.key_kind = KeyKind::kInternal;
  options.filter_policy = &policy;
  options.filter_base_lg = 0;
  options.block_size = 1;
  Entries entries;
  for (const char* key : {"azzz", "cccc", "maybf"}) {
    entries.emplace_back(MakeInternalKey(key, 1, ValueType::kValue), key);
  }
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, entries));
  TableReaderOptions reader;
  reader.key_kind = KeyKind::kInternal;
  reader.filter_policies = {&policy};
  const auto table = OpenBytes(bytes, reader);
  EXPECT_EQ(table->Get("b").value(), std::nullopt);  // the separator of the first two blocks
  EXPECT_EQ(table->stats().filter_negatives, 1);
  EXPECT_EQ(table->Get("n").value(), std::nullopt);  // the last separator
  EXPECT_EQ(table->stats().filter_negatives, 2);
  EXPECT_EQ(table->stats().lookups, 2);
  EXPECT_EQ(table->stats().blocks_read, 1) << "the first-key check";
  EXPECT_EQ(table->stats().filter_positives, 0);
}

TEST(UserPolicyTest, NeedNotBeBloom) {
  const ExactFilterPolicy policy;
  for (KeyKind kind : {KeyKind::kPlain, KeyKind::kInternal}) {
    TableBuilderOptions options;
    options.filter_policy = &policy;
    options.key_kind = kind;
    options.block_size = 100;
    Entries entries;
    for (int i = 1000; i < 1500; i += 2) {
      const std::string key = absl::StrCat("key", i);
      entries.emplace_back(
          kind == KeyKind::kPlain ? key : MakeInternalKey(key, 7, ValueType::kValue), key);
    }
    ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, entries));
    TableReaderOptions reader;
    reader.filter_policies = {&policy};
    reader.key_kind = kind;
    const auto table = OpenBytes(bytes, reader);
    EXPECT_OK(table->filter_status());
    for (int i = 1000; i < 1500; ++i) {
      const std::string key = absl::StrCat("key", i);
      ASSERT_OK_AND_ASSIGN(const auto found, table->Get(key));
      EXPECT_EQ(found, i % 2 == 0 ? std::optional<std::string>(key) : std::nullopt);
    }
    // The last key asked is behind the last block.
    EXPECT_GE(table->stats().filter_negatives, 249);
    EXPECT_EQ(table->stats().filter_positives, 250);
    EXPECT_EQ(table->stats().false_positives, 0);
  }
}

}  // namespace
}  // namespace sstable
