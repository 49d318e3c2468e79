#include "sstable/table_builder.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/block_io.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tests/support/comparators.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_walk.h"
#include "util/bytes.h"

namespace sstable::test {
namespace {

using ::testing::ElementsAre;

const CaseFoldingComparator kFolding;

std::unique_ptr<TableBuilder> MakeBuilder(const TableBuilderOptions& options, std::string* bytes) {
  return TableBuilder::Create(NewStringFile(bytes, "t.ldb"), options).value();
}

// Returns the handles of the data blocks.
std::vector<BlockHandle> DataBlocks(const TableReader& table) {
  std::vector<BlockHandle> handles;
  for (size_t i = 0; i < IndexOf(table)->size(); ++i) {
    handles.push_back(IndexOf(table)->record(i).handle());
  }
  return handles;
}

std::string Internal(absl::string_view user_key, uint64_t sequence,
                     ValueType type = ValueType::kValue) {
  return MakeInternalKey(user_key, sequence, type);
}

// The bytes do not exist, so the size check must not read them.
class TableBuilderSizeTest
    : public testing::TestWithParam<std::tuple<uint64_t, uint64_t, KeyKind, const Comparator*>> {};
TEST_P(TableBuilderSizeTest, RefusesAnEntryOf4GiBUnread) {
  const auto& [key_size, value_size, kind, comparator] = GetParam();
  TableBuilderOptions options;
  options.comparator = comparator;
  options.key_kind = kind;
  const std::unique_ptr<char[]> few_bytes(new char[1]());
  for (bool first : {true, false}) {
    std::string bytes;
    const auto builder = MakeBuilder(options, &bytes);
    if (!first) {
      EXPECT_OK(builder->Add(Internal("key", 1), "value"));
    }
    EXPECT_THAT(
        builder->Add(absl::string_view(few_bytes.get(), key_size),
                     absl::string_view(few_bytes.get(), value_size)),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 absl::StrCat("t.ldb: entry with a key of ", key_size, " and a value of ",
                              value_size, " bytes does not fit in a block of at most 4 GiB")));
  }
}
constexpr uint64_t kMaxView = std::numeric_limits<int64_t>::max();
INSTANTIATE_TEST_SUITE_P(Sizes, TableBuilderSizeTest,
                         testing::Combine(testing::Values(uint64_t{1} << 32, kMaxView),
                                          testing::Values(uint64_t{0}, uint64_t{1} << 32, kMaxView),
                                          testing::Values(KeyKind::kPlain, KeyKind::kInternal),
                                          testing::Values(BytewiseComparator(),
                                                          ReverseBytewiseComparator())));
INSTANTIATE_TEST_SUITE_P(
    Values, TableBuilderSizeTest,
    testing::Combine(testing::Values(uint64_t{1}),
                     testing::Values((uint64_t{1} << 32) - 29, uint64_t{1} << 32, kMaxView),
                     testing::Values(KeyKind::kPlain), testing::Values(BytewiseComparator())));

struct OptionCase {
  const char* name;
  void (*change)(TableBuilderOptions*);
  const char* error;
};
class TableBuilderOptionTest : public testing::TestWithParam<OptionCase> {};
TEST_P(TableBuilderOptionTest, IsRefusedOutOfItsRange) {
  TableBuilderOptions options;
  GetParam().change(&options);
  std::string bytes;
  EXPECT_THAT(TableBuilder::Create(NewStringFile(&bytes, "t.ldb"), options),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       absl::StrCat("t.ldb: table option ", GetParam().error)));
}
INSTANTIATE_TEST_SUITE_P(
    Options, TableBuilderOptionTest,
    testing::ValuesIn<OptionCase>({
        {"Comparator", [](auto* o) { o->comparator = nullptr; }, "comparator is null"},
        {"BlockSizeZero", [](auto* o) { o->block_size = 0; },
         "block_size is 0, expected 1 to 2147483647"},
        {"BlockSizeHuge", [](auto* o) { o->block_size = uint64_t{1} << 31; },
         "block_size is 2147483648, expected 1 to 2147483647"},
        {"BlockSizeMax", [](auto* o) { o->block_size = SIZE_MAX; },
         "block_size is 18446744073709551615, expected 1 to 2147483647"},
        {"RestartIntervalZero", [](auto* o) { o->block_restart_interval = 0; },
         "block_restart_interval is 0, expected at least 1"},
        {"RestartIntervalNegative", [](auto* o) { o->block_restart_interval = -16; },
         "block_restart_interval is -16, expected at least 1"},
        {"Compression", [](auto* o) { o->compression = static_cast<Compression>(5); },
         "compression is 5, expected 0 to 4"},
        {"ZlibLevelLow", [](auto* o) { o->zlib_level = -2; }, "zlib_level is -2, expected -1 to 9"},
        {"ZlibLevelHigh", [](auto* o) { o->zlib_level = 10; },
         "zlib_level is 10, expected -1 to 9"},
        {"ZstdLevelLow", [](auto* o) { o->zstd_level = -6; },
         "zstd_level is -6, expected -5 to 22"},
        {"ZstdLevelHigh", [](auto* o) { o->zstd_level = 23; },
         "zstd_level is 23, expected -5 to 22"},
        {"CompressionThreadsZero", [](auto* o) { o->compression_threads = 0; },
         "compression_threads is 0, expected 1 to 64"},
        {"CompressionThreadsMany", [](auto* o) { o->compression_threads = 65; },
         "compression_threads is 65, expected 1 to 64"},
        {"BaseLgNegative", [](auto* o) { o->filter_base_lg = -2; },
         "filter_base_lg is -2, expected 0 to 63, or -1 for auto"},
        {"BaseLgHigh", [](auto* o) { o->filter_base_lg = 64; },
         "filter_base_lg is 64, expected 0 to 63, or -1 for auto"},
    }),
    [](const auto& info) { return info.param.name; });

TEST(TableBuilderTest, FlushEndsABlockThatHasEntries) {
  std::string bytes;
  const auto builder = MakeBuilder({}, &bytes);
  EXPECT_OK(builder->Flush());
  EXPECT_OK(builder->Add("a", "1"));
  EXPECT_EQ(builder->FileSize(), 0);
  EXPECT_OK(builder->Flush());
  EXPECT_OK(builder->Flush());
  EXPECT_EQ(builder->FileSize(), 13 + kBlockTrailerSize);
  EXPECT_OK(builder->Add("b", "2"));
  EXPECT_OK(builder->Add("c", "3"));
  EXPECT_OK(builder->Flush());
  EXPECT_OK(builder->Finish());
  ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(NewMemoryFile(bytes)));
  EXPECT_EQ(IndexOf(*table)->size(), 2);
  EXPECT_EQ(WalkForward(table->NewIterator().get()).entries,
            (Entries{{"a", "1"}, {"b", "2"}, {"c", "3"}}));
}

TEST(TableBuilderTest, CountsEntriesAndBytes) {
  TableBuilderOptions options;
  options.compression = Compression::kNone;
  std::string bytes;
  const auto builder = MakeBuilder(options, &bytes);
  EXPECT_EQ(builder->NumEntries(), 0);
  uint64_t last_size = 0;
  for (int i = 10000; i < 11000; ++i) {
    EXPECT_OK(builder->Add(absl::StrCat(i), std::string(1000, 'v')));
    EXPECT_EQ(builder->NumEntries(), i - 9999);
    EXPECT_GE(builder->FileSize(), last_size);
    EXPECT_GE(builder->FileSize(), bytes.size());
    last_size = builder->FileSize();
  }
  EXPECT_GT(last_size, 950000);
  EXPECT_OK(builder->Finish());
  EXPECT_EQ(builder->NumEntries(), 1000);
  EXPECT_EQ(builder->FileSize(), bytes.size());
}

TEST(TableBuilderTest, CountsOffsetsFromWhereTheFileStands) {
  std::string bytes = "before";
  const auto builder = MakeBuilder({}, &bytes);
  EXPECT_OK(builder->Add("a", "1"));
  EXPECT_OK(builder->Finish());
  EXPECT_EQ(builder->FileSize(), bytes.size() - 6);
  ASSERT_OK_AND_ASSIGN(const std::string table, BuildTable({}, {{"a", "1"}}));
  EXPECT_EQ(bytes, absl::StrCat("before", table));
}

class TableBuilderCompressionTest : public testing::TestWithParam<std::pair<Compression, int>> {};
TEST_P(TableBuilderCompressionTest, CompressesAllBlocksButFilterAndMetaBlocks) {
  const auto& [compression, type] = GetParam();
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.filter_policy = policy.get();
  options.compression = compression;
  options.block_size = 500;
  std::string bytes;
  const auto builder = MakeBuilder(options, &bytes);
  for (int i = 100; i < 200; ++i) {
    EXPECT_OK(builder->Add(absl::StrCat(std::string(50, 'k'), i), std::string(100, 'v')));
  }
  EXPECT_OK(builder->AddMetaBlock("compressible", std::string(1000, 'm')));
  EXPECT_OK(builder->AddMetaBlock(std::string(1000, 'n'), ""));
  EXPECT_OK(builder->Finish());

  const auto file = NewMemoryFile(bytes);
  const auto type_at = [&file](const BlockHandle& handle) {
    ByteBuffer buffer;
    return int{ReadStoredBlock(*file, handle, &buffer).value().type};
  };
  ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(NewMemoryFile(bytes)));
  EXPECT_EQ(type_at(table->footer().index), type);
  EXPECT_EQ(type_at(table->footer().metaindex), type);
  for (const BlockHandle& handle : DataBlocks(*table)) EXPECT_EQ(type_at(handle), type);
  ASSERT_EQ(table->meta_blocks().size(), 3);
  for (const MetaBlock& block : table->meta_blocks()) EXPECT_EQ(type_at(block.handle), 0);
}
INSTANTIATE_TEST_SUITE_P(Codecs, TableBuilderCompressionTest,
                         testing::Values(std::pair(Compression::kSnappy, 1),
                                         std::pair(Compression::kZstd, 2),
                                         std::pair(Compression::kZlib, 2),
                                         std::pair(Compression::kRawDeflate, 4)));

TEST(TableBuilderTest, PutsMetaBlocksInOrderOfNameWithTheFilter) {
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.filter_policy = policy.get();
  std::string bytes;
  const auto builder = MakeBuilder(options, &bytes);
  EXPECT_OK(builder->AddMetaBlock("zebra", "stripes"));
  EXPECT_OK(builder->Add("a", "1"));
  EXPECT_OK(builder->AddMetaBlock("ant", ""));
  EXPECT_OK(builder->AddMetaBlock("filtering", "no filter"));
  EXPECT_OK(builder->Finish());

  ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(NewMemoryFile(bytes)));
  std::vector<std::string> names;
  uint64_t last_end = 0;
  for (const MetaBlock& block : table->meta_blocks()) {
    names.push_back(block.name);
    EXPECT_GE(block.handle.offset, last_end);
    last_end = block.handle.offset + block.handle.size + kBlockTrailerSize;
  }
  EXPECT_THAT(names,
              ElementsAre("ant", "filter.leveldb.BuiltinBloomFilter2", "filtering", "zebra"));
  EXPECT_EQ(table->footer().metaindex.offset, last_end);
  EXPECT_EQ(*table->ReadMetaBlock("zebra"), "stripes");
  EXPECT_EQ(*table->ReadMetaBlock("ant"), "");
  EXPECT_OK(table->LoadFilter());
  EXPECT_EQ(table->Get("a").value(), "1");
}

TEST(TableBuilderTest, TakesAMetaBlockInATableWithoutEntries) {
  std::string bytes;
  const auto builder = MakeBuilder({}, &bytes);
  EXPECT_OK(builder->AddMetaBlock("", ""));
  EXPECT_OK(builder->Finish());
  ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(NewMemoryFile(bytes)));
  EXPECT_EQ(*table->ReadMetaBlock(""), "");
}

// Shortens every key to the same separator and successor, even if that is out of order.
class ShorteningTo final : public Comparator {
 public:
  ShorteningTo(absl::string_view separator, absl::string_view successor)
      : separator_(separator), successor_(successor) {}
  absl::string_view Name() const override { return "mine"; }
  int Compare(absl::string_view a, absl::string_view b) const override { return a.compare(b); }
  void FindShortestSeparator(std::string* start, absl::string_view) const override {
    *start = separator_;
  }
  void FindShortSuccessor(std::string* key) const override { *key = successor_; }

 private:
  const std::string separator_, successor_;
};

TEST(TableBuilderTest, RefusesShortenedKeysThatAComparatorOrdersWrongly) {
  const std::tuple<const char*, const char*, const char*> kCases[] = {
      {"c", "d", ""},
      {"b", "d", ""},  // the key itself is the block's last
      {"a", "d",
       "t.ldb: the comparator mine shortens key \"b\" to \"a\", which it orders below "
       "that key"},
      {"d", "d",
       "t.ldb: the comparator mine shortens key \"b\" to \"d\", which it does not order "
       "below the next key, \"d\""},
      {"c", "c",
       "t.ldb: the comparator mine shortens key \"d\" to \"c\", which it orders below "
       "that key"}};
  for (const auto& [separator, successor, message] : kCases) {
    const ShorteningTo comparator(separator, successor);
    TableBuilderOptions options;
    options.comparator = &comparator;
    std::string bytes;
    const auto builder = MakeBuilder(options, &bytes);
    EXPECT_OK(builder->Add("b", "1"));
    EXPECT_OK(builder->Flush());
    builder->Add("d", "2").IgnoreError();
    const absl::Status status = builder->Finish();
    EXPECT_EQ(status.message(), message);
    EXPECT_EQ(status.ok(), absl::string_view(message).empty());
  }
}

TEST(TableBuilderTest, RefusesToBeWithoutAFile) {
  EXPECT_THAT(TableBuilder::Create(std::unique_ptr<WritableFile>()).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, "the file to build a table in is null"));
}

TEST(TableBuilderTest, RefusesMetaBlockNamesThatAreTaken) {
  // After the last two, a reader would interpret type bytes as RocksDB's.
  for (const char* name : {"mine", "filter.mine", "filter.", "rocksdb.properties"}) {
    std::string bytes;
    const auto builder = MakeBuilder({}, &bytes);
    EXPECT_OK(builder->AddMetaBlock("mine", "1"));
    EXPECT_THAT(builder->AddMetaBlock(name, "2"),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("t.ldb: meta block name \"", name, "\" is ",
                                      absl::string_view(name) == "mine" ? "taken" : "reserved")));
    EXPECT_THAT(builder->Finish(), StatusIs(absl::StatusCode::kInvalidArgument, testing::_));
  }
}

}  // namespace
}  // namespace sstable::test
