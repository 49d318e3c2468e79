// Tests the library with only Abseil: tables must be LevelDB's, byte for byte, and operations that
// need another library must say so.
#include <iterator>
#include <memory>
#include <string>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/block/compression.h"
#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/whole_file.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kTestdata[] = "tests/testdata/";

Entries Elements() {
  Entries entries;
  for (absl::string_view line : absl::StrSplit(
           ReadWholeFile(std::string(kTestdata) + "elements.tsv"), '\n', absl::SkipEmpty())) {
    entries.push_back(absl::StrSplit(line, absl::MaxSplits('\t', 1)));
  }
  return entries;
}

TEST(CoreTest, WritesTheTableThatLevelDbWrites) {
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.compression = Compression::kNone;
  options.filter_policy = policy.get();
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, Elements()));
  EXPECT_TRUE(bytes == ReadWholeFile(std::string(kTestdata) + "leveldb-1.23-raw.ldb"));
}

TEST(CoreTest, ReadsATableOfLevelDbsByItsFilter) {
  ASSERT_OK_AND_ASSIGN(const auto table,
                       TableReader::Open(std::string(kTestdata) + "leveldb-1.23-raw.ldb"));
  for (const auto& [key, value] : Elements()) EXPECT_EQ(table->Get(key).value(), value) << key;
  EXPECT_EQ(table->Get("no element").value(), std::nullopt);
  EXPECT_OK(table->LoadFilter());
}

TEST(CoreTest, NamesTheCodecOfABlock) {
  struct Case {
    uint8_t type;
    CompressionNumbering numbering;
    absl::string_view stored_hex;
    absl::string_view message;
  };
  constexpr auto kLevelDb = CompressionNumbering::kLevelDb;
  constexpr auto kRocksDb = CompressionNumbering::kRocksDb;
  const Case kCases[] = {
      {1, kLevelDb, "010061", "snappy: this build of the library was configured with"},
      {2, kLevelDb, "28b52ffd", "zstd: "},
      {2, kLevelDb, "789c", "zlib: "},
      {2, kRocksDb, "00", "raw deflate: "},
      {3, kRocksDb, "00", "bzip2: "},
      {4, kLevelDb, "0300", "raw deflate: "},
      {4, kLevelDb, "0100000000000000 1061", "raw deflate: "},  // could also be LZ4
      {4, kRocksDb, "00", "lz4: "},
      {7, kRocksDb, "00", "zstd: "},
  };
  for (const Case& c : kCases) {
    ByteBuffer out;
    EXPECT_THAT(Uncompress(c.type, FromHex(c.stored_hex), c.numbering, /*max_size=*/1000, &out),
                StatusIs(absl::StatusCode::kUnimplemented, StartsWith(std::string(c.message))))
        << c.message;
  }
}

TEST(CoreTest, NamesFileAndBlockOfACodecThatIsLeftOut) {
  ASSERT_OK_AND_ASSIGN(const auto table,
                       TableReader::Open(std::string(kTestdata) + "leveldb-1.23-elements.ldb"));
  EXPECT_THAT(table->Get("actinium/number"),
              StatusIs(absl::StatusCode::kUnimplemented,
                       testing::AllOf(HasSubstr("leveldb-1.23-elements.ldb"), HasSubstr("offset 0"),
                                      HasSubstr("SSTABLE_WITH_SNAPPY=OFF"))));
}

TEST(CoreTest, BuildsNoTableWithACodecThatIsLeftOut) {
  for (const Compression compression :
       {Compression::kSnappy, Compression::kZstd, Compression::kZlib, Compression::kRawDeflate}) {
    TableBuilderOptions options;
    options.compression = compression;
    EXPECT_THAT(BuildTable(options, {{"a", "1"}}),
                StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("SSTABLE_WITH_")));
  }
}

TEST(CoreTest, BuildsNoFilterForAWholeTable) {
  const auto policy = NewBlockedBloomPolicy(10);
  TableBuilderOptions options;
  options.compression = Compression::kNone;
  options.table_filter_policy = policy.get();
  EXPECT_THAT(BuildTable(options, {{"a", "1"}}),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("SSTABLE_WITH_XXHASH=OFF")));
}

}  // namespace
}  // namespace sstable::test
