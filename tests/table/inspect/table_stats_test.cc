#include "sstable/experimental/table_stats.h"

#include <limits>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/check.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"

namespace sstable::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TableStats StatsOf(const std::string& bytes, const TableReaderOptions& options = {}) {
  const auto reader = TableReader::Open(NewMemoryFile(bytes, "t.ldb"), options);
  EXPECT_OK(reader);
  return CollectStats(**reader, KeyTrust::kOrdered);
}

TEST(SizeHistogramTest, CountsSizesByBitWidth) {
  SizeHistogram sizes;
  EXPECT_EQ(sizes.Mean(), 0);
  for (const uint64_t size : {uint64_t{0}, uint64_t{1}, uint64_t{4}, uint64_t{7}}) sizes.Add(size);
  EXPECT_EQ(sizes.count, 4);
  EXPECT_EQ(sizes.sum, 12);
  EXPECT_EQ(sizes.min, 0);
  EXPECT_EQ(sizes.max, 7);
  EXPECT_EQ(sizes.Mean(), 3);
  EXPECT_EQ(sizes.by_bit_width[0], 1);
  EXPECT_EQ(sizes.by_bit_width[1], 1);
  EXPECT_EQ(sizes.by_bit_width[2], 0);
  EXPECT_EQ(sizes.by_bit_width[3], 2) << "4 and 7";
  sizes.Add(std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(sizes.by_bit_width[64], 1);
}

TEST(TableStatsTest, CountsEntriesAndBytes) {
  TableAssembler table;
  table.AddDataBlock("b", {{"a", "red"}, {"b", ""}});
  const BlockHandle last = table.AddDataBlock("cc", {{"cc", "blue"}});
  const std::string bytes = table.Finish();
  const TableStats stats = StatsOf(bytes);
  EXPECT_OK(stats.status);
  EXPECT_EQ(stats.file_size, bytes.size());
  EXPECT_EQ(stats.data_blocks, 2);
  EXPECT_EQ(stats.damaged_data_blocks, 0);
  EXPECT_EQ(stats.data_stored_size + kBlockTrailerSize, last.offset + last.size);
  EXPECT_EQ(stats.data_raw_size, stats.data_stored_size);
  EXPECT_EQ(stats.filter_size, 0);
  EXPECT_THAT(stats.blocks_by_codec, ElementsAre(Pair("none", 2)));
  EXPECT_EQ(stats.entries, 3);
  EXPECT_EQ(stats.key_sizes.sum, 4);
  EXPECT_EQ(stats.value_sizes.sum, 7);
  EXPECT_EQ(stats.distinct_user_keys, 0) << "only counted for internal keys";
}

TEST(TableStatsTest, CountsVersionsAndDeletionsOfUserKeys) {
  TableBuilderOptions options;
  options.key_kind = KeyKind::kInternal;
  ASSERT_OK_AND_ASSIGN(const std::string bytes,
                       BuildTable(options, {{MakeInternalKey("a", 9, ValueType::kDeletion), ""},
                                            {MakeInternalKey("a", 4, ValueType::kValue), "1"},
                                            {MakeInternalKey("b", 7, ValueType::kValue), "2"}}));
  TableReaderOptions reader_options;
  reader_options.key_kind = KeyKind::kInternal;
  const TableStats stats = StatsOf(bytes, reader_options);
  EXPECT_EQ(stats.entries, 3);
  EXPECT_EQ(stats.distinct_user_keys, 2);
  EXPECT_EQ(stats.deletions, 1);
  EXPECT_EQ(stats.min_sequence, 4);
  EXPECT_EQ(stats.max_sequence, 9);
}

TEST(TableStatsTest, LeavesDamagedBlocksOutOfTheCounts) {
  TableAssembler table;
  table.AddDataBlock("b", {{"a", "1"}, {"b", "2"}});
  table.AddDataBlock("c", {{"c", "3"}});
  std::string bytes = table.Finish();
  bytes[0] ^= 1;
  const TableStats stats = StatsOf(bytes);
  EXPECT_THAT(stats.status, StatusIs(absl::StatusCode::kDataLoss, testing::HasSubstr("crc32c")));
  EXPECT_EQ(stats.data_blocks, 2);
  EXPECT_EQ(stats.damaged_data_blocks, 1);
  EXPECT_EQ(stats.entries, 1);
}

}  // namespace
}  // namespace sstable::test
