#include "table/block/block_io.h"

#include <zlib.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/format.h"
#include "table/block/compression.h"
#include "tests/support/allocations.h"
#include "tests/support/deflate.h"
#include "tests/support/fake_files.h"
#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_parts.h"
#include "util/bytes.h"
#include "util/crc32c.h"

namespace sstable::test {
namespace {

constexpr uint64_t kMax64 = std::numeric_limits<uint64_t>::max();
constexpr BlockReadOptions kRead = {/*verify_checksum=*/true,
                                    /*max_uncompressed_size=*/uint64_t{1} << 20,
                                    CompressionNumbering::kLevelDb};

// A file of some bytes, a block, and zeros instead of a footer, which is not read here.
class BlockIoTest : public testing::Test {
 protected:
  void Store(absl::string_view stored, uint8_t type) {
    bytes_ =
        absl::StrCat("before", stored, EncodeTrailer(stored, type), std::string(kFooterSize, '\0'));
    handle_ = {6, stored.size()};
  }

  // Reads from a file in memory and from one that is not, and compares the results.
  absl::StatusOr<std::string> Read(BlockReadOptions options = kRead) {
    const auto memory = NewMemoryFile(bytes_, "t.ldb");
    const absl::StatusOr<BlockContents> contents =
        ReadBlock(*memory, BlockKind::kData, handle_, options);
    const FakeFile fake(bytes_.size(), {{0, bytes_}}, "t.ldb");
    const absl::StatusOr<BlockContents> read = ReadBlock(fake, BlockKind::kData, handle_, options);
    EXPECT_EQ(contents.status(), read.status());
    if (!contents.ok()) return AtBlock(*memory, BlockKind::kData, handle_, contents.status());
    EXPECT_EQ(contents->bytes, read->bytes);
    return std::string(contents->bytes);
  }

  std::string bytes_;
  BlockHandle handle_;
};

std::string Deflated(uint8_t type, absl::string_view raw) {
  return Deflate(raw, /*window_bits=*/type == 2 ? 15 : -15, Z_BEST_COMPRESSION);
}

std::string ZstdFrame(absl::string_view raw) {
  return std::string(*BlockCompressor(Compression::kZstd, 1).Compress(raw));
}

struct HostileStream {
  const char* name;
  uint8_t type;
  std::string stored;
  const char* error;  // follows file and block in the message
  absl::StatusCode code = absl::StatusCode::kDataLoss;
};
const std::string kText(5000, 't');
const std::string kBomb(20 << 20, '\0');
const HostileStream kHostileStreams[] = {
    {"ZlibBomb", 2, Deflated(2, kBomb),
     "zlib: uncompressed size 1048577 is above the limit of 1048576 bytes; --max-block "
     "(TableReaderOptions::max_uncompressed_block_size) allows more",
     absl::StatusCode::kOutOfRange},
    {"DeflateBomb", 4, Deflated(4, kBomb),
     "raw deflate: uncompressed size 1048577 is above the limit of 1048576 bytes; --max-block "
     "(TableReaderOptions::max_uncompressed_block_size) allows more",
     absl::StatusCode::kOutOfRange},
    {"ZlibCutShort", 2, Deflated(2, kText).substr(0, 10), "zlib: the stream is cut short"},
    {"ZlibWithoutItsChecksum", 2, Deflated(2, "to be or not").substr(0, 15),
     "zlib: the stream is cut short"},
    {"DeflateCutShort", 4, Deflated(4, kText).substr(0, 10),
     "raw deflate: the stream is cut short"},
    {"DeflateOfNothing", 4, "", "raw deflate: the stream is cut short"},
    {"BytesFollowZlib", 2, Deflated(2, kText) + '\0', "zlib: bytes follow the stream"},
    {"BytesFollowDeflate", 4, Deflated(4, kText) + Deflated(4, kText),
     "raw deflate: bytes follow the stream"},
    {"PresetDictionary", 2, FromHex("78bb062c02154b0400"),
     "zlib: the stream needs a preset dictionary, which no table has"},
    {"WrongAdler32", 2, Deflated(2, kText).substr(0, Deflated(2, kText).size() - 1) + 'x',
     "zlib: incorrect data check"},
    {"WindowTooLarge", 2, FromHex("881c4b040000620062"), "zlib: invalid window size"},
    {"DistanceBeforeTheStart", 4, FromHex("4b041200"),
     "raw deflate: invalid distance too far back"},
    {"ReservedBlockType", 4, "\x07", "raw deflate: invalid block type"},
    {"ZstdCutShort", 2, ZstdFrame(kText).substr(0, 10), "zstd: the frame is cut short"},
    {"BytesFollowZstd", 2, ZstdFrame(kText) + 'x', "zstd: bytes follow the frame"},
};

class HostileStreamTest : public BlockIoTest, public testing::WithParamInterface<HostileStream> {};
TEST_P(HostileStreamTest, IsRefusedNamingFileAndBlockWithinTheLimit) {
  Store(GetParam().stored, GetParam().type);
  const AllocationCounter allocations;
  EXPECT_THAT(Read(), StatusIs(GetParam().code,
                               absl::StrFormat("t.ldb: data block at offset 6 (%d bytes): %s",
                                               GetParam().stored.size(), GetParam().error)));
  EXPECT_LE(allocations.largest(), size_t{4} << 20);
}
INSTANTIATE_TEST_SUITE_P(Streams, HostileStreamTest, testing::ValuesIn(kHostileStreams),
                         [](const auto& info) { return info.param.name; });

TEST_F(BlockIoTest, RefusesHandlesThatReachTheFooterOrBeyond) {
  Store("contents", 0);
  for (const BlockHandle handle :
       {BlockHandle{6, 9}, BlockHandle{7, 8}, BlockHandle{0, kMax64}, BlockHandle{kMax64, 0},
        BlockHandle{kMax64 - 4, 4}, BlockHandle{6, kMax64 - 10}, BlockHandle{67, 0}}) {
    handle_ = handle;
    EXPECT_THAT(Read(),
                StatusIs(absl::StatusCode::kDataLoss,
                         absl::StrFormat("t.ldb: data block at offset %d (%d bytes): handle names "
                                         "bytes past the footer of a file of 67 bytes",
                                         handle.offset, handle.size)));
  }
}

TEST_F(BlockIoTest, CopiesNothingOfAFileInMemory) {
  Store("contents", 0);
  const auto file = NewMemoryFile(bytes_);
  ASSERT_OK_AND_ASSIGN(const BlockContents contents,
                       ReadBlock(*file, BlockKind::kData, handle_, kRead));
  EXPECT_EQ(contents.bytes.data(), bytes_.data() + 6);
}

TEST_F(BlockIoTest, ContentsStayGoodWhenMoved) {
  Store("contents", 0);
  const FakeFile file(bytes_);
  ASSERT_OK_AND_ASSIGN(BlockContents contents, ReadBlock(file, BlockKind::kData, handle_, kRead));
  const BlockContents moved = std::move(contents);
  EXPECT_EQ(moved.bytes, "contents");
}

TEST_F(BlockIoTest, AStoredBlockIsAsItStandsInTheFile) {
  BlockCompressor compressor(Compression::kSnappy, 1);
  const std::string stored(*compressor.Compress(std::string(1000, 'r')));
  Store(stored, 1);
  bytes_[7] = 'X';
  ByteBuffer buffer;
  const FakeFile file(bytes_);
  ASSERT_OK_AND_ASSIGN(const StoredBlock block, ReadStoredBlock(file, handle_, &buffer));
  EXPECT_EQ(block.bytes, bytes_.substr(6, stored.size()));
  EXPECT_EQ(block.type, 1);
  EXPECT_EQ(block.stored_crc, Crc32c(absl::StrCat(stored, "\x01")));
  EXPECT_EQ(block.ComputeCrc(), Crc32c(absl::StrCat(block.bytes, "\x01")));
  EXPECT_NE(block.ComputeCrc(), block.stored_crc);
}

}  // namespace
}  // namespace sstable::test
