#include "table/inspect/block_identity.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/table_iterator.h"
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

// Four data blocks of equal size.
struct Sample {
  explicit Sample(const BlockShape& index_shape = {/*restart_interval=*/1}) {
    TableAssembler table;
    for (int i = 10; i < 50; i += 10) {
      handles.push_back(table.AddDataBlock(
          absl::StrCat("key", i + 5),
          {{absl::StrCat("key", i), "value"}, {absl::StrCat("key", i + 5), "value"}}));
    }
    bytes = table.Finish(index_shape);
    footer = Table(bytes)->footer();
  }
  std::string Stored(size_t i) const {
    return bytes.substr(handles[i].offset, handles[i].size + kBlockTrailerSize);
  }
  // Returns a copy of the file in which block `from` overwrites block `to`.
  std::string Overwritten(size_t from, size_t to) const {
    std::string changed = bytes;
    return changed.replace(handles[to].offset, Stored(from).size(), Stored(from));
  }

  std::vector<BlockHandle> handles;
  std::string bytes;
  Footer footer;
};

absl::Status CheckBlock(const TableReader& reader, BlockIdentityChecker* block_identity, size_t i) {
  const auto it = reader.NewIterator();
  it->SeekToBlock(i);
  EXPECT_TRUE(it->Valid());
  return block_identity->Check(i, BlockOf(*it));
}

// A block that a disk wrote to the wrong place has a correct checksum.
TEST(BlockIdentityTest, SeesABlockInThePlaceOfAnother) {
  // Without and with prefix-compressed index keys.
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
