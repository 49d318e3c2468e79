// Tests whether a reader consults the filter, and why not. There are never false negatives.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/table_internals.h"
#include "tests/support/exact_filter_policy.h"
#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"

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
  return TableReader::Open(NewMemoryFile(bytes, "t.ldb"), options).value();
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
  EXPECT_OK(table->LoadFilter());
  ASSERT_NE(table->filter(), nullptr);
  EXPECT_EQ(table->filter()->policy()->Name(), policy->Name());
  ExpectAllFound(*table, FewEntries());
}

TEST(FilterStatusTest, SaysThatThereIsNone) {
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable({}, FewEntries()));
  const auto table = OpenBytes(bytes);
  EXPECT_THAT(table->LoadFilter(),
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
  EXPECT_THAT(table->LoadFilter(), StatusIs(absl::StatusCode::kFailedPrecondition,
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
  EXPECT_THAT(table->LoadFilter(), StatusIs(absl::StatusCode::kUnimplemented,
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
  EXPECT_OK(table->LoadFilter());
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
  EXPECT_THAT(table->LoadFilter(),
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
  // Even if the checksums of data blocks are not verified.
  for (VerifyChecksums verify : {VerifyChecksums::kFirstTouch, VerifyChecksums::kNever}) {
    TableReaderOptions reader;
    reader.verify_checksums = verify;
    const auto table = OpenBytes(bytes, reader);
    EXPECT_THAT(table->LoadFilter(),
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
  EXPECT_EQ(table->LoadFilter(), table->metaindex_status());
  ExpectAllFound(*table, FewEntries());
}

TEST(FilterStatusTest, SaysThatAKeyIsNotInIt) {
  // A filter of whole keys, which would be probed for the same keys without their last 8 bytes.
  const auto policy = NewBloomFilterPolicy(10);
  FilterBlockBuilder filter(policy.get());
  filter.StartBlock(0);
  Entries entries;
  for (const char* key : {"apple", "beet", "cherry"}) {
    entries.emplace_back(MakeInternalKey(key, 1, ValueType::kValue), key);
    filter.AddKey(entries.back().first);
  }
  TableAssembler assembler;
  assembler.AddDataBlock(entries.back().first, entries);
  assembler.AddMetaBlock(kBloomEntry, *filter.Finish());
  const std::string bytes = assembler.Finish();
  TableReaderOptions reader;
  reader.key_kind = KeyKind::kInternal;
  const auto table = OpenBytes(bytes, reader);
  EXPECT_THAT(
      table->LoadFilter(),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               HasSubstr("filter \"leveldb.BuiltinBloomFilter2\" does not contain the table's "
                         "key \"apple\" @1: ")));
  EXPECT_EQ(table->filter(), nullptr);
  ExpectAllFound(*table, {{"apple", "apple"}, {"beet", "beet"}, {"cherry", "cherry"}});
}

// A window that has no filter to consult, though the table has a filter block.
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
  EXPECT_OK(table->LoadFilter());
  ExpectAllFound(*table, FewEntries());
  EXPECT_EQ(table->Get("absent").value(), std::nullopt);
  EXPECT_EQ(table->stats().filter_negatives, 0);
  EXPECT_EQ(table->stats().filter_positives, 0);
}
INSTANTIATE_TEST_SUITE_P(Windows, NoFilterForBlockTest,
                         testing::ValuesIn<WindowCase>({
                             {"Empty", "00000000 00000000 0b"},
                             {"EmptyBehindAnother", "aabb 02000000 02000000 0b"},
                             {"None", "00000000 0b"},
                             {"NoneButBytes", "aabb 02000000 0b"},
                             {"ProbeCountAlone", "06 00000000 01000000 0b"},
                             {"StartsBehindTheArray", "09000000 00000000 0b"},
                             {"EndsBehindTheArray", "00000000 09000000 00000000 0b"},
                             {"StartsBehindItsEnd", "aabb 02000000 01000000 02000000 0b"},
                         }),
                         [](const auto& info) { return info.param.name; });

// Probe counts above 30 are reserved, so the bits mean nothing; with 0, none is probed.
TEST(ProbeCountTest, HidesNoKeyWhereItIsNoneOfBloom) {
  for (const char* probe_count : {"00", "1f", "80", "ff"}) {
    TableAssembler assembler;
    AddBlocks(FewEntries(), &assembler);
    assembler.AddMetaBlock(kBloomEntry, FromHex(absl::StrCat("0000000000000000", probe_count,
                                                             "00000000 09000000 0b")));
    const std::string bytes = assembler.Finish();
    const auto table = OpenBytes(bytes);
    EXPECT_OK(table->LoadFilter());
    ExpectAllFound(*table, FewEntries());
    EXPECT_EQ(table->stats().filter_positives, 6);
  }
}

// The name of LevelDB's first filters does not show which hash they use.
TEST(OldNameFilterTest, HidesNoKeyWhicheverHashItWasMadeWith) {
  const auto either = NewBloomFilterPolicy(10, BloomName::kLevelDbOld);
  const auto signed_tail = NewBloomFilterPolicy(10, BloomName::kRocksDb);
  // If the policy ignores a part of each key, the other hash must, too.
  const InternalFilterPolicy either_of_user_keys(either.get());
  const InternalFilterPolicy signed_of_user_keys(signed_tail.get());
  for (const bool strips : {false, true}) {
    Entries entries;
    for (int byte = 0x80; byte < 0x100; ++byte) {
      entries.emplace_back(absl::StrCat("k", std::string(1, static_cast<char>(byte)), "12345678"),
                           "value");
    }
    FilterBlockBuilder filter(strips ? static_cast<const FilterPolicy*>(&signed_of_user_keys)
                                     : signed_tail.get());
    for (const auto& entry : entries) filter.AddKey(entry.first);
    TableAssembler assembler;
    assembler.AddDataBlock(entries.back().first, entries);
    assembler.AddMetaBlock("filter.leveldb.BuiltinBloomFilter", *filter.Finish());
    const std::string bytes = assembler.Finish();
    TableReaderOptions options;
    if (strips) options.filter_policies = {&either_of_user_keys};
    const auto table = OpenBytes(bytes, options);
    ASSERT_OK(table->LoadFilter());
    ExpectAllFound(*table, entries);
    EXPECT_EQ(table->stats().filter_positives, entries.size());
  }
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
    EXPECT_OK(table->LoadFilter());
    for (int i = 1000; i < 1500; ++i) {
      const std::string key = absl::StrCat("key", i);
      ASSERT_OK_AND_ASSIGN(const auto found, table->Get(key));
      EXPECT_EQ(found, i % 2 == 0 ? std::optional<std::string>(key) : std::nullopt);
    }
    // The last key is after the last block.
    EXPECT_GE(table->stats().filter_negatives, 249);
    EXPECT_EQ(table->stats().filter_positives, 250);
    EXPECT_EQ(table->stats().false_positives, 0);
  }
}

}  // namespace
}  // namespace sstable
