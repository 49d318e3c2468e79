#include "table/block/compression.h"

#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/allocations.h"
#include "tests/support/deflate.h"
#include "tests/support/status_matchers.h"
#include "tests/table/block/codec_samples.h"
#include "util/bytes.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kNoLimit = uint64_t{1} << 40;
constexpr auto kLevelDb = CompressionNumbering::kLevelDb;
constexpr auto kRocksDb = CompressionNumbering::kRocksDb;

struct CodecCase {
  const char* name;
  uint8_t type;
  CompressionNumbering dialect;
  std::string (*compress)(absl::string_view);
  size_t min_recognized;  // from fewer bytes, the codec can't be recognized
};
const CodecCase kCodecs[] = {
    {"Snappy", 1, kLevelDb, &Snappy, 0},
    {"Zstd", 2, kLevelDb, [](absl::string_view raw) { return Zstd(raw); }, 4},
    {"ZstdWithoutSize", 2, kLevelDb, [](absl::string_view raw) { return Zstd(raw, false); }, 4},
    {"Zlib", 2, kLevelDb, [](absl::string_view raw) { return Deflate(raw, 15); }, 2},
    {"RawDeflate", 4, kLevelDb, [](absl::string_view raw) { return Deflate(raw, -15); }, 0},
    {"RocksDbZlib", 2, kRocksDb, [](absl::string_view raw) { return Deflate(raw, 15); }, 2},
    {"RocksDbRawDeflate", 2, kRocksDb, [](absl::string_view raw) { return Deflate(raw, -15); }, 0},
    {"RocksDbZstd", 7, kRocksDb, [](absl::string_view raw) { return Zstd(raw); }, 0},
    {"RocksDbSizedZstd", 7, kRocksDb, &SizedZstd, 0},
    {"RocksDbBzip2", 3, kRocksDb, &Bzip2, 0},
    {"RocksDbLz4", 4, kRocksDb, &Lz4, 0},
    {"RocksDbLz4Hc", 5, kRocksDb, &Lz4Hc, 0},
    // RocksDB's blocks, read without the meta blocks that identify its tables.
    {"Bzip2", 3, kLevelDb, &Bzip2, 3},
    {"Lz4AsRawDeflatesType", 4, kLevelDb, &Lz4, 0},
};

class CodecTest : public testing::TestWithParam<CodecCase> {
 protected:
  absl::StatusOr<std::string> Read(absl::string_view stored, uint64_t max_size = kNoLimit) {
    // A separate allocation, so that AddressSanitizer detects a read past it.
    const std::vector<char> copy(stored.begin(), stored.end());
    ByteBuffer out;
    out.Append("from before");
    const absl::Status status =
        Uncompress(GetParam().type, absl::string_view(copy.data(), copy.size()), GetParam().dialect,
                   max_size, &out);
    if (!status.ok()) return status;
    return std::string(out.view());
  }
};

TEST_P(CodecTest, GivesBackWhatWasCompressed) {
  for (const std::string& raw : {std::string(), std::string("a"), Text(), Noise(1000),
                                 Noise(100000), std::string(3 << 20, 'z')}) {
    ASSERT_OK_AND_ASSIGN(const std::string read, Read(GetParam().compress(raw)));
    ASSERT_TRUE(read == raw) << raw.size() << " bytes";
  }
}

TEST_P(CodecTest, TakesAsMuchAsTheLimitAndNoMore) {
  const std::string stored = GetParam().compress(Text());
  EXPECT_OK(Read(stored, 50000));
  EXPECT_THAT(Read(stored, 49999), StatusIs(absl::StatusCode::kOutOfRange,
                                            HasSubstr("is above the limit of 49999 bytes")));
  EXPECT_THAT(Read(stored, 0), StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("limit of 0")));
  EXPECT_OK(Read(stored, ~uint64_t{0}));
}

TEST_P(CodecTest, TakesLittleMemoryForWhatIsOverTheLimit) {
  const std::string stored = GetParam().compress(std::string(8 << 20, 'z'));
  const AllocationCounter allocations;
  EXPECT_THAT(Read(stored, 1 << 20), StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("limit")));
  // Nothing larger than the copy of `stored` or, while the output grows, twice the limit.
  EXPECT_LE(allocations.largest(), std::max(stored.size(), size_t{2} << 20) + 4096);
}

TEST_P(CodecTest, RefusesAStreamCutAtEveryLength) {
  const std::string stored = GetParam().compress(Text().substr(0, 600));
  for (size_t size = GetParam().min_recognized; size < stored.size(); ++size) {
    ASSERT_THAT(Read(stored.substr(0, size)), StatusIs(absl::StatusCode::kDataLoss, testing::_))
        << "cut to " << size << " of " << stored.size();
  }
}

TEST_P(CodecTest, RefusesBytesBehindTheStream) {
  const std::string stored = GetParam().compress(Text());
  for (const char* more : {"\x01", "more", "\x28\xb5\x2f\xfd"}) {
    EXPECT_THAT(Read(absl::StrCat(stored, more)),
                StatusIs(absl::StatusCode::kDataLoss, testing::_));
  }
  EXPECT_THAT(Read(absl::StrCat(stored, stored)),
              StatusIs(absl::StatusCode::kDataLoss, testing::_));
}

TEST_P(CodecTest, StaysWithinTheLimitWhateverTheBytes) {
  const std::string raw = Text().substr(0, 600);
  const std::string stored = GetParam().compress(raw);
  for (size_t bit = 0; bit < 8 * stored.size(); ++bit) {
    std::string flipped = stored;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const absl::StatusOr<std::string> read = Read(flipped, 1000);
    if (read.ok()) {
      ASSERT_LE(read->size(), 1000) << bit;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, CodecTest, testing::ValuesIn(kCodecs),
                         [](const auto& info) { return info.param.name; });

TEST(CodecNameTest, IsForPeople) {
  EXPECT_EQ(CodecName(Codec::kNone, kLevelDb), "none");
  EXPECT_EQ(CodecName(Codec::kSnappy, kLevelDb), "snappy");
  EXPECT_EQ(CodecName(Codec::kZstd, kLevelDb), "zstd");
  EXPECT_EQ(CodecName(Codec::kZlib, kLevelDb), "zlib");
  EXPECT_EQ(CodecName(Codec::kRawDeflate, kLevelDb), "raw deflate");
  EXPECT_EQ(CodecName(Codec::kLz4, kRocksDb), "lz4");
  EXPECT_EQ(CodecName(Codec::kBzip2, kRocksDb), "bzip2");
  EXPECT_EQ(CodecName(Codec::kUnknown, kLevelDb), "unknown");
}

// RocksDB calls type 2 zlib, even though its streams are raw deflate.
TEST(CodecNameTest, IsTheWritersOwn) {
  EXPECT_EQ(CodecName(Codec::kRawDeflate, kRocksDb), "zlib");
  EXPECT_EQ(CodecName(Codec::kZlib, kRocksDb), "zlib");
  EXPECT_EQ(CodecName(Codec::kZstd, kRocksDb), "zstd");
}

TEST(BlockCompressorTest, NoneCompressesNothing) {
  BlockCompressor compressor(Compression::kNone, 1);
  EXPECT_EQ(compressor.Compress(std::string(1000, 'a')), std::nullopt);
}

class BlockCompressorTest : public testing::TestWithParam<std::pair<Compression, int>> {};

// Returns the codec's output, even if it is larger than `raw`.
std::string CompressedBy(Compression compression, int level, absl::string_view raw) {
  switch (compression) {
    case Compression::kNone:
      break;
    case Compression::kSnappy:
      return Snappy(raw);
    case Compression::kZstd: {
      std::string all(ZSTD_compressBound(raw.size()), '\0');
      all.resize(ZSTD_compress(&all[0], all.size(), raw.data(), raw.size(), level));
      return all;
    }
    case Compression::kZlib:
      return Deflate(raw, 15, level);
    case Compression::kRawDeflate:
      return Deflate(raw, -15, level);
  }
  return std::string(raw);
}

TEST_P(BlockCompressorTest, MustSaveMoreThanAnEighth) {
  BlockCompressor compressor(GetParam().first, GetParam().second);
  bool met_the_boundary = false;
  for (size_t zeros = 0; zeros < 400; ++zeros) {
    const std::string raw = Noise(1000) + std::string(zeros, '\0');
    const std::optional<absl::string_view> stored = compressor.Compress(raw);
    const size_t size = CompressedBy(GetParam().first, GetParam().second, raw).size();
    const size_t limit = raw.size() - raw.size() / 8;
    ASSERT_EQ(stored.has_value(), size < limit) << size << " of " << raw.size();
    met_the_boundary |= size == limit;
  }
  EXPECT_TRUE(met_the_boundary);
}

// A reused context must not carry over state from earlier blocks.
TEST_P(BlockCompressorTest, MakesTheSameBytesWhateverCameBefore) {
  const auto& [compression, level] = GetParam();
  BlockCompressor compressor(compression, level);
  for (const std::string& raw : {Text(), Noise(5000), std::string(100000, 'z'), Text(),
                                 Text().substr(0, 500), std::string(), Text().substr(7)}) {
    const std::optional<absl::string_view> stored = compressor.Compress(raw);
    const std::string alone = CompressedBy(compression, level, raw);
    ASSERT_EQ(stored.has_value(), alone.size() < raw.size() - raw.size() / 8);
    if (stored.has_value()) {
      ASSERT_TRUE(*stored == alone) << raw.size() << " bytes";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Levels, BlockCompressorTest,
    testing::Values(std::pair(Compression::kSnappy, 1), std::pair(Compression::kZstd, 1),
                    std::pair(Compression::kZstd, -5), std::pair(Compression::kZstd, 22),
                    std::pair(Compression::kZlib, -1), std::pair(Compression::kZlib, 1),
                    std::pair(Compression::kRawDeflate, -1),
                    std::pair(Compression::kRawDeflate, 9)));

TEST(BlockCompressorTest, DeflatesLevelZeroCompressesNothing) {
  for (const Compression compression : {Compression::kZlib, Compression::kRawDeflate}) {
    BlockCompressor compressor(compression, 0);
    EXPECT_EQ(compressor.Compress(std::string(1000, 'a')), std::nullopt);
  }
}

// Blocks must be recognized as written by the codec that wrote them.
TEST(CompressionTest, IsACodecWithATypeByte) {
  for (int i = 0; i <= static_cast<int>(kLastCompression); ++i) {
    const auto compression = static_cast<Compression>(i);
    SCOPED_TRACE(CodecName(CodecOf(compression), kLevelDb));
    BlockCompressor compressor(compression, 1);
    const std::string raw(1000, 'r');
    EXPECT_EQ(
        IdentifyCodec(TypeByte(compression), compressor.Compress(raw).value_or(raw), kLevelDb),
        CodecOf(compression));
  }
}

TEST(CompressionLevelTest, IsThatOfTheCodec) {
  const auto level_with = [](Compression compression) {
    return CompressionLevel(compression, /*zstd_level=*/7, /*zlib_level=*/3);
  };
  EXPECT_EQ(level_with(Compression::kSnappy), 0);
  EXPECT_EQ(level_with(Compression::kZstd), 7);
  EXPECT_EQ(level_with(Compression::kZlib), 3);
  EXPECT_EQ(level_with(Compression::kRawDeflate), 3);
}

}  // namespace
}  // namespace sstable::test
