#include "table/inspect/writer_settings.h"

#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sstable/experimental/layout.h"
#include "sstable/file.h"
#include "sstable/table_reader.h"
#include "table/block/block_io.h"
#include "tests/support/block_bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {
namespace {

// Returns the settings inferred from a table's data blocks.
TableBuilderOptions SettingsOf(const std::string& bytes) {
  const auto reader = TableReader::Open(NewMemoryFile(bytes)).value();
  WriterSettings settings;
  for (const BlockInfo& info : DescribeLayout(*reader).blocks) {
    if (info.kind != BlockKind::kData) continue;
    const auto contents = ReadBlock(reader->file(), info.kind, info.handle, {}).value();
    settings.AddBlock(info.codec, Block::Parse(contents.bytes).value());
  }
  TableBuilderOptions options;
  settings.ApplyTo(&options);
  return options;
}

Entries SomeEntries(int count, size_t max_value_size) {
  std::mt19937 random(5);
  Entries entries;
  for (int i = 0; i < count; ++i) {
    entries.emplace_back(absl::StrCat("key ", 100000 + i),
                         std::string(random() % (max_value_size + 1), static_cast<char>(i)));
  }
  return entries;
}

struct WriterCase {
  const char* name;
  size_t block_size;
  int restart_interval;
  Compression compression;
  size_t max_value_size;
};
class WriterSettingsTest : public testing::TestWithParam<WriterCase> {};
TEST_P(WriterSettingsTest, GiveTheSameTableAgain) {
  TableBuilderOptions options;
  options.block_size = GetParam().block_size;
  options.block_restart_interval = GetParam().restart_interval;
  options.compression = GetParam().compression;
  for (const int count : {1, 2, 17, 100, 3000}) {
    const Entries entries = SomeEntries(count, GetParam().max_value_size);
    ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, entries));
    const TableBuilderOptions settings = SettingsOf(bytes);
    ASSERT_OK_AND_ASSIGN(const std::string again, BuildTable(settings, entries));
    EXPECT_TRUE(again == bytes) << count << " entries, taken for blocks of " << settings.block_size
                                << " bytes, restart interval " << settings.block_restart_interval;
  }
}
INSTANTIATE_TEST_SUITE_P(Writers, WriterSettingsTest,
                         testing::ValuesIn<WriterCase>({
                             {"Defaults", 4096, 16, Compression::kSnappy, 200},
                             {"Raw", 4096, 16, Compression::kNone, 200},
                             {"Zstd", 4096, 16, Compression::kZstd, 200},
                             {"Zlib", 4096, 16, Compression::kZlib, 200},
                             {"Bedrock", 160 << 10, 16, Compression::kRawDeflate, 7000},
                             {"AnEntryEach", 1, 16, Compression::kSnappy, 200},
                             {"SmallBlocks", 300, 4, Compression::kSnappy, 50},
                             {"LargeBlocks", 1 << 20, 1000, Compression::kSnappy, 50},
                             {"OddSize", 5001, 1, Compression::kRawDeflate, 10},
                             {"LargeValues", 4096, 16, Compression::kSnappy, 20000},
                             {"EveryKeyWhole", 4096, 1, Compression::kNone, 30},
                         }),
                         [](const auto& info) { return info.param.name; });

TEST(WriterSettingsTest, NameTheRoundestBlockSizeThatFits) {
  for (const size_t block_size : {1 << 10, 64 << 10, 160 << 10}) {
    TableBuilderOptions options;
    options.block_size = block_size;
    ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, SomeEntries(20000, 50)));
    EXPECT_EQ(SettingsOf(bytes).block_size, block_size);
  }
}

// Returns the settings inferred from blocks of entries, each with its codec. The last block may be
// smaller.
TableBuilderOptions SettingsOf(const std::vector<std::pair<Codec, std::string>>& blocks) {
  WriterSettings settings;
  for (const auto& [codec, bytes] : blocks) {
    const PaddedBytes padded(bytes);
    settings.AddBlock(codec, Block::Parse(padded.view()).value());
  }
  TableBuilderOptions options;
  settings.ApplyTo(&options);
  return options;
}

TEST(WriterSettingsTest, TakeTheCodecOfMostBlocksThatAreNotRaw) {
  const std::string block = EncodeBlock({{"a", "1"}});
  const auto compression_of = [&block](const std::vector<Codec>& codecs) {
    std::vector<std::pair<Codec, std::string>> blocks;
    for (const Codec codec : codecs) blocks.emplace_back(codec, block);
    return SettingsOf(blocks).compression;
  };
  EXPECT_EQ(compression_of({Codec::kNone}), Compression::kNone);
  EXPECT_EQ(compression_of({Codec::kNone, Codec::kNone, Codec::kNone, Codec::kRawDeflate}),
            Compression::kRawDeflate);
  EXPECT_EQ(compression_of({Codec::kSnappy, Codec::kZlib, Codec::kZlib}), Compression::kZlib);
  EXPECT_EQ(compression_of({Codec::kZstd, Codec::kZlib, Codec::kZstd}), Compression::kZstd);
  EXPECT_EQ(compression_of({Codec::kLz4, Codec::kBzip2, Codec::kNone}), Compression::kSnappy)
      << "the others can't be written";
}

TEST(WriterSettingsTest, StayTheDefaultsWhereNothingShows) {
  const TableBuilderOptions defaults,
      none = SettingsOf(std::vector<std::pair<Codec, std::string>>()),
      empty = SettingsOf({{Codec::kNone, EncodeBlock({})}});
  for (const TableBuilderOptions& options : {none, empty}) {
    EXPECT_EQ(options.compression, defaults.compression);
    EXPECT_EQ(options.block_size, defaults.block_size);
    EXPECT_EQ(options.block_restart_interval, defaults.block_restart_interval);
  }
}

// Blocks end early after Flush(), or when a writer starts a new one for its own reasons.
TEST(WriterSettingsTest, IsNotMisledByABlockThatEndedEarly) {
  const auto block_of = [](int entries) {
    std::vector<std::pair<std::string, std::string>> all;
    for (int i = 0; i < entries; ++i)
      all.emplace_back(absl::StrCat(1000 + i), std::string(100, 'v'));
    return std::pair(Codec::kNone, EncodeBlock(all));
  };
  EXPECT_EQ(SettingsOf({block_of(79), block_of(3), block_of(79), block_of(79)}).block_size, 8192);
}

}  // namespace
}  // namespace sstable::test
