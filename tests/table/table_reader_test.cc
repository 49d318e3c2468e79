#include "sstable/table_reader.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_iterator.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tests/support/allocations.h"
#include "tests/support/comparators.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"
#include "tests/support/table_walk.h"

namespace sstable {
namespace {

using ::sstable::test::AllocationCounter;
using ::sstable::test::BuildTable;
using ::sstable::test::Entries;
using ::sstable::test::StatusIs;
using ::sstable::test::TableAssembler;
using ::testing::HasSubstr;
using ::testing::Optional;

std::unique_ptr<TableReader> OpenBytes(absl::string_view bytes,
                                       const TableReaderOptions& options = {}) {
  return TableReader::Open(NewMemoryFile(bytes, "t.ldb"), options).value();
}

Entries Numbers(int count, int step = 1) {
  Entries entries;
  for (int i = 0; i < count; ++i) {
    entries.emplace_back(absl::StrCat("key", 100000 + i * step), absl::StrCat("value", i));
  }
  return entries;
}

// The entry that InternalGet passes, as "key=value", or "none", or the error.
std::string InternalGet(const TableReader& table, absl::string_view key) {
  std::string result = "none";
  const absl::Status status =
      table.InternalGet(key, [&result](absl::string_view k, absl::string_view v) {
        EXPECT_EQ(result, "none") << "visited twice";
        result = absl::StrCat(k, "=", v);
      });
  return status.ok() ? result : std::string(status.message());
}

class TableReaderTest : public testing::TestWithParam<Compression> {
 protected:
  TableReaderTest() : policy_(NewBloomFilterPolicy(10)) {
    options_.block_size = 200;
    options_.compression = GetParam();
    options_.filter_policy = policy_.get();
  }

  const std::unique_ptr<const FilterPolicy> policy_;
  TableBuilderOptions options_;
};

TEST_P(TableReaderTest, FindsEveryKeyAndNoOther) {
  const Entries entries = Numbers(500, /*step=*/2);
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options_, entries));
  const auto table = OpenBytes(bytes);
  for (const auto& [key, value] : entries) {
    std::string found = "from before";
    ASSERT_OK_AND_ASSIGN(const Presence presence, table->Get(key, &found));
    EXPECT_EQ(presence, Presence::kFound);
    EXPECT_EQ(found, value);
    EXPECT_THAT(table->Get(key).value(), Optional(value));
    for (const std::string& other :
         {absl::StrCat(key, std::string(1, '\0')), key.substr(0, key.size() - 1),
          key.substr(0, key.size() - 1) + static_cast<char>(key.back() + 1)}) {
      EXPECT_EQ(table->Get(other, &found).value(), Presence::kAbsent);
      EXPECT_EQ(table->Get(other).value(), std::nullopt);
    }
  }
  EXPECT_EQ(table->Get("").value(), std::nullopt);
  EXPECT_EQ(table->Get("\xff").value(), std::nullopt);
}

TEST_P(TableReaderTest, WalksEveryEntryBothWays) {
  const Entries entries = Numbers(500);
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options_, entries));
  const auto table = OpenBytes(bytes);
  EXPECT_GT(IndexOf(*table)->size(), 20);
  EXPECT_EQ(test::WalkForward(table->NewIterator().get()).entries, entries);
  EXPECT_EQ(test::WalkBackward(table->NewIterator().get()).entries, entries);
}

TEST_P(TableReaderTest, HasNothingInAnEmptyTable) {
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options_, {}));
  const auto table = OpenBytes(bytes);
  EXPECT_EQ(table->Get("").value(), std::nullopt);
  EXPECT_EQ(table->Get("key").value(), std::nullopt);
  EXPECT_EQ(InternalGet(*table, "key"), "none");
  EXPECT_EQ(test::WalkForward(table->NewIterator().get()).entries, Entries());
  EXPECT_OK(table->LoadFilter());
  EXPECT_EQ(IndexOf(*table)->size(), 0);
}

TEST_P(TableReaderTest, TheEmptyKeyIsAKeyLikeOthers) {
  ASSERT_OK_AND_ASSIGN(const std::string alone, BuildTable(options_, {{"", "nothing"}}));
  EXPECT_THAT(OpenBytes(alone)->Get("").value(), Optional(std::string("nothing")));
  EXPECT_EQ(OpenBytes(alone)->Get("a").value(), std::nullopt);
  Entries entries = Numbers(100);
  entries.insert(entries.begin(), {"", ""});
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options_, entries));
  const auto table = OpenBytes(bytes);
  EXPECT_THAT(table->Get("").value(), Optional(std::string()));
  const auto it = table->NewIterator();
  it->Seek("");
  EXPECT_EQ(it->key(), "");
}

TEST_P(TableReaderTest, ReadsValuesOf64MiB) {
  std::string value(64 << 20, 'v');
  for (size_t i = 0; i < value.size(); i += 1000)
    value[i] = static_cast<char>(i * 2654435761 >> 16);
  {
    ASSERT_OK_AND_ASSIGN(const std::string bytes,
                         BuildTable(options_, {{"a", "1"}, {"b", value}, {"c", "3"}}));
    const auto table = OpenBytes(bytes);
    std::string found;
    ASSERT_EQ(table->Get("b", &found).value(), Presence::kFound);
    EXPECT_TRUE(found == value);
    EXPECT_EQ(table->Get("a").value(), "1");
    EXPECT_EQ(table->Get("c").value(), "3");
  }
  options_.filter_policy = nullptr;
  ASSERT_OK_AND_ASSIGN(const std::string key_bytes, BuildTable(options_, {{value, "long key"}}));
  EXPECT_EQ(OpenBytes(key_bytes)->Get(value).value(), "long key");
}

TEST_P(TableReaderTest, InternalGetPassesTheFirstEntryNotBelowTheKey) {
  options_.filter_policy = nullptr;
  ASSERT_OK_AND_ASSIGN(const std::string bytes,
                       BuildTable(options_, {{"apple", "1"}, {"apricot", "2"}, {"beet", "3"}}));
  const auto table = OpenBytes(bytes);
  EXPECT_EQ(InternalGet(*table, "apple"), "apple=1");
  EXPECT_EQ(InternalGet(*table, "applf"), "apricot=2") << "which shares bytes with the one before";
  EXPECT_EQ(InternalGet(*table, "b"), "beet=3");
  EXPECT_EQ(InternalGet(*table, "z"), "none");
}

INSTANTIATE_TEST_SUITE_P(Compressions, TableReaderTest,
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

TEST(TableReaderOpenTest, ReadsNoMoreThanFooterAndMetaindex) {
  TableAssembler assembler;
  assembler.AddDataBlock("a", {{"a", "1"}});
  std::string bytes = assembler.Finish();
  for (size_t i = 0; i < 10; ++i) bytes[i] = 'X';
  const auto table = OpenBytes(bytes);
  EXPECT_OK(table->metaindex_status());
  EXPECT_EQ(table->stats().blocks_read, 0);
}

TEST(TableReaderOpenTest, ShowsTheFilesParts) {
  TableAssembler assembler;
  assembler.AddDataBlock("a", {{"a", "1"}});
  const BlockHandle handle = assembler.AddMetaBlock("mine", "contents");
  const std::string bytes = assembler.Finish();
  const auto table = OpenBytes(bytes);
  EXPECT_EQ(table->file().name(), "t.ldb");
  EXPECT_EQ(table->file().size(), bytes.size());
  ASSERT_EQ(table->meta_blocks().size(), 1);
  EXPECT_EQ(table->meta_blocks()[0].name, "mine");
  EXPECT_EQ(table->meta_blocks()[0].handle, handle);
  EXPECT_EQ(*table->ReadMetaBlock("mine"), "contents");
  EXPECT_THAT(table->ReadMetaBlock("yours"),
              StatusIs(absl::StatusCode::kNotFound, "t.ldb: there is no meta block \"yours\""));
  EXPECT_EQ(table->dialect(), CompressionNumbering::kLevelDb);
}

TEST(TableReaderOpenTest, TakesRocksDbsTypeBytesFromItsMetaBlocks) {
  TableAssembler assembler;
  const BlockHandle handle = assembler.AddBlock("lz4 data", /*type=*/4);
  assembler.AddIndexEntry("a", handle.Encode());
  assembler.AddMetaBlock("rocksdb.properties", "");
  const std::string bytes = assembler.Finish();
  const auto table = OpenBytes(bytes);
  EXPECT_EQ(table->dialect(), CompressionNumbering::kRocksDb);
  EXPECT_THAT(table->Get("a"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("lz4: no size")));
}

// Other writers compress prefixes in the index, too.
TEST(TableReaderIndexTest, LooksKeysUpInAPrefixCompressedIndex) {
  for (int restart_interval : {2, 16}) {
    TableAssembler assembler;
    const Entries entries = Numbers(200);
    for (size_t i = 0; i < entries.size(); i += 4) {
      assembler.AddDataBlock(entries[i + 3].first, {entries.begin() + i, entries.begin() + i + 4});
    }
    const std::string bytes = assembler.Finish({restart_interval});
    const auto table = OpenBytes(bytes);
    for (const auto& [key, value] : entries) {
      EXPECT_EQ(table->Get(key).value(), value);
      EXPECT_EQ(table->Get(absl::StrCat(key, "x")).value(), std::nullopt);
    }
    EXPECT_EQ(test::WalkForward(table->NewIterator().get()).entries, entries);
    EXPECT_EQ(test::WalkBackward(table->NewIterator().get()).entries, entries);
  }
}

TEST(TableReaderIndexTest, SaysThatTheComparatorIsWrong) {
  TableBuilderOptions options;
  options.comparator = ReverseBytewiseComparator();
  options.block_size = 1;
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, {{"b", "2"}, {"a", "1"}}));
  const auto table = OpenBytes(bytes);
  const auto is_unordered = StatusIs(
      absl::StatusCode::kFailedPrecondition,
      testing::AllOf(HasSubstr("t.ldb: index block at offset"), HasSubstr("another comparator")));
  EXPECT_THAT(table->Get("a"), is_unordered);
  EXPECT_THAT(table->ApproximateOffsetOf("a"), is_unordered);
  const auto it = table->NewIterator();
  it->Seek("a");
  EXPECT_THAT(it->status(), is_unordered);
  EXPECT_EQ(test::WalkForward(it.get()).entries, (Entries{{"b", "2"}, {"a", "1"}}))
      << "a walk needs no order";
}

TEST(TableReaderIndexTest, LooksKeysUpWithAUserMadeComparator) {
  const test::CaseFoldingComparator folding;
  const Entries entries = {{"Apple", "1"}, {"apple", "2"}, {"Banana", "3"}, {"cherry", "4"}};
  TableBuilderOptions writer;
  writer.comparator = &folding;
  writer.block_size = 1;
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(writer, entries));
  TableReaderOptions reader;
  reader.comparator = &folding;
  const auto table = OpenBytes(bytes, reader);
  for (const auto& [key, value] : entries) EXPECT_EQ(table->Get(key).value(), value);
  EXPECT_EQ(table->Get("BANANA").value(), std::nullopt);
}

TEST(TableReaderIndexTest, RefusesADataBlockOutsideTheFile) {
  for (const BlockHandle handle : {BlockHandle{1 << 20, 10}, BlockHandle{0, 1 << 20},
                                   BlockHandle{0, ~uint64_t{0}}, BlockHandle{~uint64_t{0}, 10}}) {
    TableAssembler assembler;
    assembler.AddDataBlock("a", {{"a", "1"}});
    assembler.AddIndexEntry("b", handle.Encode());
    const std::string bytes = assembler.Finish();
    const auto table = OpenBytes(bytes);
    EXPECT_EQ(table->Get("a").value(), "1");
    EXPECT_THAT(table->Get("b"),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("handle names bytes past")));
  }
}

TEST(TableReaderOffsetTest, GrowsWithTheKeyUpToTheEndOfData) {
  TableBuilderOptions options;
  options.compression = Compression::kNone;
  options.block_size = 1000;
  const Entries entries = Numbers(1000);
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, entries));
  const auto table = OpenBytes(bytes);
  uint64_t last = 0;
  for (const auto& entry : entries) {
    ASSERT_OK_AND_ASSIGN(const uint64_t offset, table->ApproximateOffsetOf(entry.first));
    EXPECT_GE(offset, last);
    EXPECT_LE(offset, last + 2000);
    last = offset;
  }
  EXPECT_EQ(table->ApproximateOffsetOf("").value(), 0);
  EXPECT_GT(last, 10000);
  EXPECT_EQ(table->ApproximateOffsetOf("z").value(), table->footer().metaindex.offset);
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
}  // namespace sstable
