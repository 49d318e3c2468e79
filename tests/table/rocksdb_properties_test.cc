// Tables of RocksDB that have LevelDB's magic number: some are read, others refused.
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/check.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/file.h"
#include "sstable/table_reader.h"
#include "tests/support/block_bytes.h"
#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_parts.h"

namespace sstable::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct PropertyCase {
  const char* name;
  const char* property;
  const char* hex;
  const char* refusal;  // null if it is read
};
class RocksDbPropertiesTest : public testing::TestWithParam<PropertyCase> {};

TEST_P(RocksDbPropertiesTest, AreReadOrRefused) {
  TableAssembler assembler;
  assembler.AddDataBlock("b", {{"a", "1"}, {"b", "2"}});
  assembler.AddMetaBlock("rocksdb.properties",
                         EncodeBlock({{GetParam().property, FromHex(GetParam().hex)}}));
  const std::string bytes = assembler.Finish();
  const auto table = TableReader::Open(NewMemoryFile(bytes, "t.sst"));
  const auto salvager = Salvager::Open(*NewMemoryFile(bytes, "t.sst"), {});
  if (GetParam().refusal == nullptr) {
    ASSERT_OK(table.status());
    EXPECT_EQ((*table)->Get("a").value(), "1");
    EXPECT_OK(salvager.status());
    return;
  }
  const auto is_refused = StatusIs(
      absl::StatusCode::kUnimplemented,
      AllOf(HasSubstr("t.sst: "), HasSubstr(GetParam().refusal), HasSubstr(GetParam().property)));
  EXPECT_THAT(table.status(), is_refused);
  EXPECT_THAT(salvager.status(), is_refused);
}

INSTANTIATE_TEST_SUITE_P(
    Properties, RocksDbPropertiesTest,
    testing::ValuesIn<PropertyCase>({
        {"BinarySearch", "rocksdb.block.based.table.index.type", "00000000", nullptr},
        {"HashSearch", "rocksdb.block.based.table.index.type", "01000000", nullptr},
        {"TwoLevels", "rocksdb.block.based.table.index.type", "02000000", "two levels of index"},
        {"FirstKeys", "rocksdb.block.based.table.index.type", "03000000", nullptr},
        {"NewIndexType", "rocksdb.block.based.table.index.type", "04000000", "unknown type"},
        {"NoIndexType", "rocksdb.block.based.table.index.type", "04", "unknown type"},
        {"InternalKeys", "rocksdb.index.key.is.user.key", "00", nullptr},
        {"UserKeys", "rocksdb.index.key.is.user.key", "01", "user keys in the index"},
        {"WholeHandles", "rocksdb.index.value.is.delta.encoded", "00", nullptr},
        {"DeltaHandles", "rocksdb.index.value.is.delta.encoded", "01", "delta-encoded"},
        {"OwnSequences", "rocksdb.external_sst_file.global_seqno", "0000000000000000", nullptr},
        {"GlobalSequence", "rocksdb.external_sst_file.global_seqno", "0700000000000000",
         "sequences that are not in its keys"},
        {"NoRangeDeletions", "rocksdb.num.range-deletions", "00", nullptr},
        {"RangeDeletions", "rocksdb.num.range-deletions", "8001", "deletions of ranges"},
        {"Other", "rocksdb.num.entries", "02", nullptr},
    }),
    [](const auto& info) { return info.param.name; });

TEST(RocksDbTableTest, ABlockOfRangeDeletionsIsRefused) {
  TableAssembler assembler;
  assembler.AddDataBlock("a", {{"a", "1"}});
  assembler.AddMetaBlock("rocksdb.range_del", EncodeBlock({}));
  EXPECT_THAT(TableReader::Open(NewMemoryFile(assembler.Finish())).status(),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("deletions of ranges")));
}

// RocksDB writes the dictionary whichever codec is used.
TEST(RocksDbTableTest, ADictionaryIsRefusedUnlessTheCodecIgnoresIt) {
  const auto open = [](const char* codec) {
    TableAssembler assembler;
    assembler.AddDataBlock("a", {{"a", "1"}});
    assembler.AddMetaBlock("rocksdb.compression_dict", "words");
    assembler.AddMetaBlock("rocksdb.properties", EncodeBlock({{"rocksdb.compression", codec}}));
    return TableReader::Open(NewMemoryFile(assembler.Finish(), "t.sst")).status();
  };
  for (const char* const codec : {"NoCompression", "Snappy", "BZip2"}) EXPECT_OK(open(codec));
  for (const char* const codec : {"ZSTD", "Zlib", "LZ4", "unknown"}) {
    EXPECT_THAT(open(codec), StatusIs(absl::StatusCode::kUnimplemented,
                                      AllOf(HasSubstr("t.sst: "), HasSubstr("a dictionary"))));
  }
}

// After the restart points come one byte for each bucket, the number of buckets, and the restart
// count with its top bit set.
std::string WithHashIndex(std::string block) {
  block.resize(block.size() - 4);
  return absl::StrCat(block, FromHex("00ff0001fe 0500 02000080"));
}

TEST(RocksDbTableTest, DataBlocksMayHaveAHashIndex) {
  TableAssembler assembler;
  const auto add_block = [&assembler](const char* first, const char* last) {
    const std::string block = absl::StrCat(EncodeEntry(0, first, first), EncodeEntry(0, last, last),
                                           EncodeRestarts({0, 5}));
    assembler.AddIndexEntry(last, assembler.AddBlock(WithHashIndex(block)).Encode());
  };
  add_block("a", "b");
  add_block("c", "d");
  assembler.AddMetaBlock("rocksdb.properties", EncodeBlock({}));
  const std::string bytes = assembler.Finish();
  const auto table = TableReader::Open(NewMemoryFile(bytes)).value();
  EXPECT_OK(table->LoadIndex());
  for (int round = 0; round < 3; ++round) {  // the first round verifies the blocks
    for (const char* const key : {"a", "b", "c", "d"}) EXPECT_EQ(table->Get(key).value(), key);
    EXPECT_EQ(table->Get("bb").value(), std::nullopt);
    std::string values[2];
    LookupRequest requests[] = {{"a", &values[0]}, {"c", &values[1]}};
    table->MultiGet(absl::MakeSpan(requests));
    EXPECT_EQ(values[0] + values[1], "ac");
  }
  EXPECT_TRUE(CheckTable(*table, {}).ok());
  // More buckets than fit into the block.
  TableAssembler wrong;
  wrong.AddIndexEntry("b", wrong.AddBlock(FromHex("0001 00 61 00000000 ff00 01000080")).Encode());
  EXPECT_THAT(TableReader::Open(NewMemoryFile(wrong.Finish())).value()->Get("a").status(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("restart points")));
}

}  // namespace
}  // namespace sstable::test
