#include "sstable/experimental/layout.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/table_reader.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_parts.h"

namespace sstable::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Layout LayoutOf(const std::string& bytes) {
  const auto reader = TableReader::Open(NewMemoryFile(bytes, "t.ldb"));
  EXPECT_OK(reader);
  return DescribeLayout(**reader);
}

std::vector<BlockKind> KindsOf(const Layout& layout) {
  std::vector<BlockKind> kinds;
  for (const BlockInfo& block : layout.blocks) kinds.push_back(block.kind);
  return kinds;
}

// Two data blocks and a block of the program's own.
std::string SmallTable() {
  TableAssembler table;
  table.AddDataBlock("b", {{"a", "1"}, {"b", "2"}});
  table.AddDataBlock("c", {{"c", "3"}});
  table.AddMetaBlock("my.block", "some bytes");
  return table.Finish();
}

TEST(LayoutTest, ListsEveryBlockInOrderOfOffset) {
  const std::string bytes = SmallTable();
  const Layout layout = LayoutOf(bytes);
  EXPECT_EQ(layout.file_size, bytes.size());
  ASSERT_THAT(KindsOf(layout), ElementsAre(BlockKind::kData, BlockKind::kData, BlockKind::kMeta,
                                           BlockKind::kMetaindex, BlockKind::kIndex));
  uint64_t offset = 0;
  for (const BlockInfo& block : layout.blocks) {
    EXPECT_OK(block.status);
    EXPECT_EQ(block.handle.offset, offset);
    EXPECT_EQ(block.stored_crc, block.computed_crc);
    EXPECT_EQ(block.raw_size, block.handle.size);
    EXPECT_EQ(block.codec_name, "none");
    offset += block.handle.size + kBlockTrailerSize;
  }
  EXPECT_EQ(offset + kFooterSize, bytes.size());
  EXPECT_EQ(layout.blocks[0].name, "b") << "the index key";
  EXPECT_EQ(layout.blocks[0].entry_count, 2);
  EXPECT_EQ(layout.blocks[0].restart_count, 1);
  EXPECT_EQ(layout.blocks[2].name, "my.block");
  EXPECT_EQ(layout.blocks[4].entry_count, 2);
  EXPECT_THAT(layout.unreferenced, IsEmpty());
  EXPECT_THAT(layout.overlapping, IsEmpty());
}

TEST(LayoutTest, ContinuesAfterADamagedBlock) {
  std::string bytes = SmallTable();
  bytes[0] ^= 1;
  const Layout layout = LayoutOf(bytes);
  ASSERT_EQ(layout.blocks.size(), 5);
  EXPECT_THAT(layout.blocks[0].status, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("crc32c")));
  EXPECT_NE(layout.blocks[0].stored_crc, layout.blocks[0].computed_crc);
  EXPECT_OK(layout.blocks[1].status);
}

TEST(LayoutTest, ReportsBytesInNoBlockAndInSeveral) {
  TableAssembler table;
  const BlockHandle first = table.AddDataBlock("b", {{"a", "1"}});
  const BlockHandle orphan = table.AddBlock("nobody's");
  table.AddIndexEntry("c", first.Encode());
  const Layout layout = LayoutOf(table.Finish());
  ASSERT_EQ(layout.unreferenced.size(), 1);
  EXPECT_EQ(layout.unreferenced[0].offset, orphan.offset);
  EXPECT_EQ(layout.unreferenced[0].size, orphan.size + kBlockTrailerSize);
  ASSERT_EQ(layout.overlapping.size(), 1);
  EXPECT_EQ(layout.overlapping[0].offset, first.offset);
  EXPECT_EQ(layout.overlapping[0].size, first.size + kBlockTrailerSize);
}

TEST(LayoutTest, HasNoDataBlocksWithoutAnIndex) {
  std::string bytes = SmallTable();
  bytes[bytes.size() - kFooterSize - kBlockTrailerSize - 1] ^= 1;
  const Layout layout = LayoutOf(bytes);
  EXPECT_THAT(layout.index_status, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("index block")));
  EXPECT_OK(layout.metaindex_status);
  EXPECT_THAT(KindsOf(layout),
              ElementsAre(BlockKind::kMeta, BlockKind::kMetaindex, BlockKind::kIndex));
}

}  // namespace
}  // namespace sstable::test
