#include "table/inspect/block_identity.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/check.h"
#include "sstable/file.h"
#include "sstable/table_iterator.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_parts.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

// A reader and the file that it reads.
class Table {
 public:
  explicit Table(std::string bytes) : bytes_(std::move(bytes)) {
    auto reader = TableReader::Open(NewMemoryFile(bytes_, "t.ldb"));
    EXPECT_OK(reader);
    reader_ = *std::move(reader);
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  const TableReader& operator*() const { return *reader_; }
  const TableReader* operator->() const { return reader_.get(); }

 private:
  const std::string bytes_;
  std::unique_ptr<TableReader> reader_;
};

std::string WithFooter(const std::string& bytes, const Footer& footer) {
  return bytes.substr(0, bytes.size() - kFooterSize) + footer.Encode();
}

// Four blocks of one size.
struct Sample {
  explicit Sample(const BlockShape& index_shape = {/*restart_interval=*/1}, bool filter = false) {
    TableAssembler table;
    for (int i = 10; i < 50; i += 10) {
      handles.push_back(table.AddDataBlock(
          absl::StrCat("key", i + 5),
          {{absl::StrCat("key", i), "value"}, {absl::StrCat("key", i + 5), "value"}}));
    }
    if (filter) table.AddMetaBlock("filter.some", "bytes");
    bytes = table.Finish(index_shape);
    footer = Table(bytes)->footer();
  }
  std::string Stored(size_t i) const {
    return bytes.substr(handles[i].offset, handles[i].size + kBlockTrailerSize);
  }
  // A copy of the file in which block `from` is written over block `to`.
  std::string Overwritten(size_t from, size_t to) const {
    std::string changed = bytes;
    return changed.replace(handles[to].offset, Stored(from).size(), Stored(from));
  }

  std::vector<BlockHandle> handles;
  std::string bytes;
  Footer footer;
};

TEST(CheckExtentTest, ASoundTableHasAllItsBlocks) {
  EXPECT_OK(CheckExtent(*Table(Sample().bytes)));
  EXPECT_OK(CheckExtent(*Table(Sample({1}, /*filter=*/true).bytes)));
  EXPECT_OK(CheckExtent(*Table(TableAssembler().Finish()))) << "one without entries, too";
}

// Footers have no checksum, so damage can make any block of the table the index.
TEST(CheckExtentTest, SeesThatAnotherBlockIsTakenForTheIndex) {
  for (const bool filter : {false, true}) {
    const Sample sample({1}, filter);
    const Table swapped(WithFooter(sample.bytes, {sample.footer.index, sample.footer.metaindex}));
    EXPECT_THAT(CheckExtent(*swapped),
                StatusIs(absl::StatusCode::kDataLoss,
                         HasSubstr("the footer names the metaindex block after the index block")));
    EXPECT_FALSE(CheckTable(*swapped, {}).ok());
  }
  const Sample sample;
  const BlockHandle gone = {0, 7};  // no block is there
  const Table no_metaindex(WithFooter(sample.bytes, {gone, sample.footer.metaindex}));
  EXPECT_THAT(CheckExtent(*no_metaindex),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("leaves out bytes")));
  EXPECT_OK(CheckExtent(*Table(WithFooter(sample.bytes, {gone, sample.footer.index}))))
      << "the data needs no metaindex";
}

// The values of that block can be read as handles.
TEST(CheckExtentTest, SeesThatTheFirstDataBlockIsTakenForTheMetaindex) {
  const Sample sample;
  const Table changed(WithFooter(sample.bytes, {sample.handles[0], sample.footer.index}));
  ASSERT_OK(changed->metaindex_status());
  EXPECT_THAT(CheckExtent(*changed),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("data blocks go beyond offset 0")));
}

// Such a handle says nothing of the data blocks, and the index is right.
TEST(CheckExtentTest, AMetaBlockThatIsNotInTheFileIsNoFaultOfTheIndex) {
  for (const BlockHandle& handle : {BlockHandle{0, ~uint64_t{0}}, BlockHandle{0, ~uint64_t{0} - 4},
                                    BlockHandle{18, uint64_t{1} << 31}}) {
    TableAssembler table;
    table.AddDataBlock("a", {{"a", "1"}});
    table.AddMetaEntry("filter.leveldb.BuiltinBloomFilter2", handle.Encode());
    EXPECT_OK(CheckExtent(*Table(table.Finish()))) << handle.size;
  }
}

TEST(CheckExtentTest, SeesThatTheIndexLeavesOutBlocks) {
  TableAssembler table;
  table.AddDataBlock("a", {{"a", "1"}});
  table.AddBlock(EncodeBlock({{"b", "2"}}));
  table.AddDataBlock("c", {{"c", "3"}});
  EXPECT_THAT(CheckExtent(*Table(table.Finish())),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("leaves out bytes 18 to 35")));
}

TEST(CheckExtentTest, SeesThatTheIndexIsNotInTheOrderOfTheFile) {
  TableAssembler table;
  const BlockHandle first = table.AddBlock(EncodeBlock({{"b", "2"}}));
  table.AddDataBlock("a", {{"a", "1"}});
  table.AddIndexEntry("b", first.Encode());
  const Table reader(table.Finish());
  EXPECT_THAT(CheckExtent(*reader),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("leaves out bytes 0 to 17")));
  EXPECT_FALSE(CheckTable(*reader, {}).ok());
}

absl::Status CheckBlock(const TableReader& reader, BlockIdentityChecker* block_identity, size_t i) {
  const auto it = reader.NewIterator();
  it->SeekToBlock(i);
  EXPECT_TRUE(it->Valid());
  return block_identity->Check(i, BlockOf(*it));
}

// A disk that writes to the wrong place leaves a block with a correct checksum.
TEST(BlockIdentityTest, SeesABlockInThePlaceOfAnother) {
  // With whole and with prefix-compressed index keys.
  for (const int restart_interval : {1, 16}) {
    const Sample sample({restart_interval});
    for (int i = 0; i < 32; ++i) {
      const size_t from = i % 4, to = i / 4 % 4;
      const bool order_known = i < 16;
      SCOPED_TRACE(absl::StrCat(from, " over ", to, ", order known: ", order_known));
      const Table reader(sample.Overwritten(from, to));
      BlockIdentityChecker block_identity(&*reader, order_known);
      for (const size_t asked : {0, 1, 2, 3, 2, 1, 0, 3, 1}) {
        const absl::Status status = CheckBlock(*reader, &block_identity, asked);
        if (from == to || asked != to) {
          EXPECT_OK(status) << asked;
        } else {
          EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss,
                                       HasSubstr("another block may have been here")));
        }
      }
    }
  }
}

TEST(BlockIdentityTest, AnIndexWithWrongRestartPointsIsReadBothWays) {
  const Sample sample;
  std::string bytes = sample.bytes;
  const size_t restarts = sample.footer.index.offset + sample.footer.index.size - 20;
  for (size_t i = restarts; i < restarts + 16; ++i) bytes[i] = '\xff';
  const std::string index = bytes.substr(sample.footer.index.offset, sample.footer.index.size);
  bytes.replace(sample.footer.index.offset + index.size(), kBlockTrailerSize,
                EncodeTrailer(index, 0));
  const Table reader(bytes);
  BlockIdentityChecker block_identity(&*reader, /*order_known=*/true);
  for (const size_t i : {3, 2, 1, 0, 1}) EXPECT_OK(CheckBlock(*reader, &block_identity, i));
}

}  // namespace
}  // namespace sstable::test
