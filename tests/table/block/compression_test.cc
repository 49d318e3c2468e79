#include "table/block/compression.h"

#include <bzlib.h>
#include <lz4.h>
#include <lz4hc.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/allocations.h"
#include "tests/support/deflate.h"
#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"
#include "util/bytes.h"
#include "util/coding.h"

namespace sstable {
namespace {

using ::sstable::test::AllocationCounter;
using ::sstable::test::Deflate;
using ::sstable::test::FromHex;
using ::sstable::test::IsOk;
using ::sstable::test::StatusIs;
using ::testing::HasSubstr;

constexpr uint64_t kNoLimit = uint64_t{1} << 40;
constexpr auto kLevelDb = TypeByteDialect::kLevelDb;
constexpr auto kRocksDb = TypeByteDialect::kRocksDb;

std::string Noise(size_t size) {
  std::mt19937 random(1);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// Compresses, but not too well: 50 000 bytes.
std::string Text() {
  std::mt19937 random(2);
  std::string text;
  while (text.size() < 50000) absl::StrAppend(&text, "word", random() % 1000, " ");
  text.resize(50000);
  return text;
}

std::string Snappy(absl::string_view raw) {
  std::string stored;
  snappy::Compress(raw.data(), raw.size(), &stored);
  return stored;
}

std::string Zstd(absl::string_view raw, bool with_size = true) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, with_size ? 1 : 0);
  std::string stored(ZSTD_compressBound(raw.size()), '\0');
  stored.resize(ZSTD_compress2(context, &stored[0], stored.size(), raw.data(), raw.size()));
  ZSTD_freeCCtx(context);
  return stored;
}

std::string Bzip2(absl::string_view raw) {
  std::string stored(raw.size() + raw.size() / 100 + 600, '\0');
  auto size = static_cast<unsigned>(stored.size());
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(&stored[0], &size, const_cast<char*>(raw.data()),
                                     static_cast<unsigned>(raw.size()), 1, 0, 0),
            BZ_OK);
  stored.resize(size);
  return stored;
}

// An LZ4 block after its size as a fixed64, as RocksDB's format version 0 has it.
std::string SizedLz4(absl::string_view raw, absl::string_view block) {
  std::string stored;
  AppendFixed64(&stored, raw.size());
  return absl::StrCat(stored, block);
}

std::string Lz4(absl::string_view raw) {
  std::string block(LZ4_compressBound(static_cast<int>(raw.size())), '\0');
  block.resize(LZ4_compress_default(raw.data(), &block[0], static_cast<int>(raw.size()),
                                    static_cast<int>(block.size())));
  return SizedLz4(raw, block);
}

std::string Lz4Hc(absl::string_view raw) {
  std::string block(LZ4_compressBound(static_cast<int>(raw.size())), '\0');
  block.resize(LZ4_compress_HC(raw.data(), &block[0], static_cast<int>(raw.size()),
                               static_cast<int>(block.size()), LZ4HC_CLEVEL_DEFAULT));
  return SizedLz4(raw, block);
}

// RocksDB has the size of what a frame of zstd makes before it.
std::string SizedZstd(absl::string_view raw) {
  std::string stored;
  AppendVarint64(&stored, raw.size());
  return stored + Zstd(raw);
}

struct CodecCase {
  const char* name;
  uint8_t type;
  TypeByteDialect dialect;
  std::string (*compress)(absl::string_view);
  size_t min_recognized;  // with fewer bytes, the codec isn't known from them
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
    // Where what names RocksDB's tables can't be read.
    {"Bzip2", 3, kLevelDb, &Bzip2, 3},
    {"Lz4AsRawDeflatesType", 4, kLevelDb, &Lz4, 0},
};

class CodecTest : public testing::TestWithParam<CodecCase> {
 protected:
  absl::StatusOr<std::string> Read(absl::string_view stored, uint64_t max_size = kNoLimit) {
    // Its own allocation, so that AddressSanitizer sees a read past it.
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
  EXPECT_THAT(Read(stored, 49999), StatusIs(absl::StatusCode::kDataLoss,
                                            HasSubstr("is above the limit of 49999 bytes")));
  EXPECT_THAT(Read(stored, 0), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("limit of 0")));
  EXPECT_OK(Read(stored, ~uint64_t{0}));
}

TEST_P(CodecTest, TakesLittleMemoryForWhatIsOverTheLimit) {
  const std::string stored = GetParam().compress(std::string(8 << 20, 'z'));
  const AllocationCounter allocations;
  EXPECT_THAT(Read(stored, 1 << 20), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("limit")));
  // The copy of `stored`, and twice the limit while the output grows.
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

absl::Status ReadAll(uint8_t type, absl::string_view stored, TypeByteDialect dialect = kLevelDb,
                     uint64_t max_size = uint64_t{256} << 20) {
  ByteBuffer out;
  return Uncompress(type, stored, dialect, max_size, &out);
}

TEST(UncompressTest, CopiesRawBytesOfAnySize) {
  ByteBuffer out;
  ASSERT_OK(Uncompress(0, "raw", kLevelDb, /*max_size=*/1, &out));
  EXPECT_EQ(out.view(), "raw");
}

TEST(UncompressTest, TakesNoMemoryForASnappyClaimThatCannotBe) {
  // A length of 200 MiB, then one literal byte.
  const std::string stored = FromHex("80808064 00 61");
  const AllocationCounter allocations;
  EXPECT_THAT(ReadAll(1, stored), StatusIs(absl::StatusCode::kDataLoss,
                                           "snappy: 6 bytes can't hold the 209715200 they claim"));
  EXPECT_LT(allocations.largest(), 4096);
}

TEST(UncompressTest, RefusesSnappyClaimsThatAreWrongByOne) {
  const std::string stored = Snappy(std::string(100, 'a'));
  ASSERT_EQ(stored[0], 100);
  for (char claim : {'\x63', '\x65'}) {
    EXPECT_THAT(
        ReadAll(1, std::string(1, claim) + stored.substr(1)),
        StatusIs(absl::StatusCode::kDataLoss, "snappy: the compressed bytes are malformed"));
  }
}

TEST(UncompressTest, RefusesASnappyLengthThatDoesNotEnd) {
  EXPECT_THAT(ReadAll(1, ""), StatusIs(absl::StatusCode::kDataLoss, "snappy: no valid length"));
  EXPECT_THAT(ReadAll(1, "\xff\xff\xff\xff\xff\x01"),
              StatusIs(absl::StatusCode::kDataLoss, "snappy: no valid length"));
}

// A zstd frame that says it has `claimed` bytes, and has one block, of the byte "a".
std::string ZstdFrame(absl::string_view claimed_hex) {
  return FromHex(absl::StrCat("28b52ffd e0", claimed_hex, "090000 61"));
}

TEST(UncompressTest, RefusesAZstdClaimAboveTheLimitUnread) {
  const AllocationCounter allocations;
  EXPECT_THAT(ReadAll(2, ZstdFrame("0000000000000010")),
              StatusIs(absl::StatusCode::kDataLoss,
                       "zstd: uncompressed size 1152921504606846976 is above the limit of "
                       "268435456 bytes"));
  EXPECT_LT(allocations.largest(), 4096);
}

TEST(UncompressTest, TakesLittleMemoryForAZstdClaimThatIsALie) {
  const AllocationCounter allocations;
  EXPECT_THAT(ReadAll(2, ZstdFrame("0000000400000000")),  // 64 MiB
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("zstd: ")));
  EXPECT_LT(allocations.largest(), 1 << 20);
  EXPECT_OK(ReadAll(2, ZstdFrame("0100000000000000")));
}

// zstd's decoder takes such a frame: it compares sizes only behind a last block that has bytes.
TEST(UncompressTest, RefusesAZstdFrameThatHoldsLessThanItClaims) {
  EXPECT_THAT(
      ReadAll(2, FromHex("28b52ffd 60 2262 010000")),
      StatusIs(absl::StatusCode::kDataLoss, "zstd: the frame claims 25378 bytes and has 0"));
}

TEST(UncompressTest, NamesTheTroubleOfAStream) {
  const std::string zlib = Deflate(Text(), 15);
  EXPECT_THAT(ReadAll(2, zlib.substr(0, 50)),
              StatusIs(absl::StatusCode::kDataLoss, "zlib: the stream is cut short"));
  EXPECT_THAT(ReadAll(2, absl::StrCat(zlib, "x")),
              StatusIs(absl::StatusCode::kDataLoss, "zlib: bytes follow the stream"));
  std::string bad_sum = zlib;
  bad_sum.back() = static_cast<char>(bad_sum.back() ^ 1);
  EXPECT_THAT(ReadAll(2, bad_sum),
              StatusIs(absl::StatusCode::kDataLoss, "zlib: incorrect data check"));
  // RFC 1950: FDICT, then the Adler-32 of the dictionary.
  EXPECT_THAT(ReadAll(2, FromHex("78bb 062c0215 4b040000620062")),
              StatusIs(absl::StatusCode::kDataLoss,
                       "zlib: the stream needs a preset dictionary, which no table has"));
  EXPECT_THAT(ReadAll(2, FromHex("881c 4b0400 00620062")),  // a window of 64 KiB
              StatusIs(absl::StatusCode::kDataLoss, "zlib: invalid window size"));
  const std::string raw_deflate = Deflate(Text(), -15);
  EXPECT_THAT(ReadAll(4, raw_deflate.substr(0, 50)),
              StatusIs(absl::StatusCode::kDataLoss, "raw deflate: the stream is cut short"));
  EXPECT_THAT(ReadAll(4, absl::StrCat(raw_deflate, "x")),
              StatusIs(absl::StatusCode::kDataLoss, "raw deflate: bytes follow the stream"));
  EXPECT_THAT(ReadAll(4, "\xff\xff"),
              StatusIs(absl::StatusCode::kDataLoss, "raw deflate: invalid block type"));
  const std::string zstd = Zstd(Text());
  EXPECT_THAT(ReadAll(2, zstd.substr(0, 50)),
              StatusIs(absl::StatusCode::kDataLoss, "zstd: the frame is cut short"));
  EXPECT_THAT(ReadAll(2, absl::StrCat(zstd, "x")),
              StatusIs(absl::StatusCode::kDataLoss, "zstd: bytes follow the frame"));
}

TEST(UncompressTest, CanReadAfterAFrameWasCutShort) {
  const std::string zstd = Zstd(Text());
  EXPECT_THAT(ReadAll(2, zstd.substr(0, zstd.size() / 2)), testing::Not(IsOk()));
  EXPECT_OK(ReadAll(2, zstd)) << "the thread's context was left in the middle of a frame";
}

struct TypeCase {
  const char* name;
  uint8_t type;
  TypeByteDialect dialect;
  const char* stored_hex;
  Codec codec;
  const char* error;  // null: the codec is known
};
class TypeByteTest : public testing::TestWithParam<TypeCase> {};
TEST_P(TypeByteTest, IsReadByDialectAndFirstBytes) {
  const TypeCase& c = GetParam();
  const std::string stored = FromHex(c.stored_hex);
  EXPECT_EQ(IdentifyCodec(c.type, stored, c.dialect), c.codec);
  if (c.error != nullptr) {
    EXPECT_THAT(ReadAll(c.type, stored, c.dialect),
                StatusIs(absl::StatusCode::kUnimplemented, c.error));
  } else {
    EXPECT_NE(ReadAll(c.type, stored, c.dialect).code(), absl::StatusCode::kUnimplemented);
  }
}
INSTANTIATE_TEST_SUITE_P(
    Types, TypeByteTest,
    testing::ValuesIn<TypeCase>({
        {"None", 0, kLevelDb, "01", Codec::kNone, nullptr},
        {"RocksDbNone", 0, kRocksDb, "01", Codec::kNone, nullptr},
        {"Snappy", 1, kLevelDb, "00", Codec::kSnappy, nullptr},
        {"RocksDbSnappy", 1, kRocksDb, "00", Codec::kSnappy, nullptr},
        {"TwoWithZstdMagic", 2, kLevelDb, "28b52ffd", Codec::kZstd, nullptr},
        {"TwoWithZlibHeader", 2, kLevelDb, "789c", Codec::kZlib, nullptr},
        {"TwoWithFastZlibHeader", 2, kLevelDb, "7801", Codec::kZlib, nullptr},
        {"TwoWithNeither", 2, kLevelDb, "789d", Codec::kUnknown,
         "compression type 2 (unknown) is not supported"},
        {"TwoWithNothing", 2, kLevelDb, "", Codec::kUnknown,
         "compression type 2 (unknown) is not supported"},
        {"Three", 3, kLevelDb, "00", Codec::kUnknown,
         "compression type 3 (unknown) is not supported"},
        {"ThreeWithBzip2Magic", 3, kLevelDb, "425a6831", Codec::kBzip2, nullptr},
        {"Four", 4, kLevelDb, "00", Codec::kRawDeflate, nullptr},
        {"FourWithAnLz4Block", 4, kLevelDb, "0200000000000000 20 6161", Codec::kLz4, nullptr},
        {"FourWithAnLz4BlockOfAnotherSize", 4, kLevelDb, "0300000000000000 20 6161",
         Codec::kRawDeflate, nullptr},
        {"Five", 5, kLevelDb, "0200000000000000 20 61", Codec::kUnknown,
         "compression type 5 (unknown) is not supported"},
        {"FiveWithAnLz4Block", 5, kLevelDb, "0200000000000000 20 6161", Codec::kLz4, nullptr},
        {"Seven", 7, kLevelDb, "18b52ffd", Codec::kUnknown,
         "compression type 7 (unknown) is not supported"},
        {"SevenWithZstdMagic", 7, kLevelDb, "28b52ffd", Codec::kZstd, nullptr},
        {"SevenWithZstdMagicAfterASize", 7, kLevelDb, "cf07 28b52ffd", Codec::kZstd, nullptr},
        {"Last", 255, kLevelDb, "00", Codec::kUnknown,
         "compression type 255 (unknown) is not supported"},
        {"RocksDbTwoWithZlibHeader", 2, kRocksDb, "789c", Codec::kZlib, nullptr},
        {"RocksDbTwoWithout", 2, kRocksDb, "28b52ffd", Codec::kRawDeflate, nullptr},
        {"RocksDbThree", 3, kRocksDb, "00", Codec::kBzip2, nullptr},
        {"RocksDbFour", 4, kRocksDb, "00", Codec::kLz4, nullptr},
        {"RocksDbFive", 5, kRocksDb, "00", Codec::kLz4, nullptr},
        {"RocksDbSix", 6, kRocksDb, "00", Codec::kUnknown,
         "compression type 6 (Xpress) is not supported"},
        {"RocksDbSeven", 7, kRocksDb, "", Codec::kZstd, nullptr},
        {"RocksDbEight", 8, kRocksDb, "", Codec::kUnknown,
         "compression type 8 (unknown) is not supported"},
    }),
    [](const auto& info) { return info.param.name; });

// Two stored blocks of deflate that are an LZ4 block, too. The sizes of the first begin as the size
// of one of 0xffff00 bytes; what it holds, and the second, make so many.
TEST(UncompressTest, RefusesABlockOfTypeFourThatIsOneOfTwoCodecs) {
  const std::string repeat_a_byte = FromHex("0100");  // a match offset, with size 15 in the token
  std::string first = FromHex("000000") + FromHex("1f 61") + repeat_a_byte;
  first += std::string(65526, '\xff') + FromHex("00");  // more of the size
  first += FromHex("5f");                               // 5 literals: the header of the second
  ASSERT_EQ(first.size(), 0xffff);
  const std::string second =
      repeat_a_byte + std::string(265, '\xff') + FromHex("c7 c0") + std::string(12, 'z');
  ASSERT_EQ(second.size(), 0x119);
  const std::string stored = FromHex("00 ffff 0000") + first + FromHex("01 1901 e6fe") + second;
  EXPECT_EQ(IdentifyCodec(4, stored, kLevelDb), Codec::kLz4);
  EXPECT_OK(ReadAll(4, stored, kRocksDb));
  EXPECT_THAT(ReadAll(4, stored),
              StatusIs(absl::StatusCode::kDataLoss,
                       "compression type 4: the block is one of raw deflate and one of LZ4, and "
                       "nothing says which"));
}

TEST(UncompressTest, NamesTheTroubleOfLz4AndBzip2) {
  const std::string lz4 = Lz4(Text());
  EXPECT_THAT(ReadAll(4, "1234567", kRocksDb),
              StatusIs(absl::StatusCode::kDataLoss, "lz4: no size and block"));
  EXPECT_THAT(
      ReadAll(4, lz4.substr(0, 100), kRocksDb),
      StatusIs(absl::StatusCode::kDataLoss, "lz4: 100 bytes can't hold the 50000 they claim"));
  EXPECT_THAT(ReadAll(4, lz4.substr(0, lz4.size() - 1), kRocksDb),
              StatusIs(absl::StatusCode::kDataLoss, "lz4: the compressed bytes are malformed"));
  EXPECT_THAT(ReadAll(4, FromHex("0300000000000000 20 6161"), kRocksDb),
              StatusIs(absl::StatusCode::kDataLoss, "lz4: the block claims 3 bytes and has 2"));
  const std::string bzip2 = Bzip2(Text());
  EXPECT_THAT(ReadAll(3, bzip2.substr(0, 50), kRocksDb),
              StatusIs(absl::StatusCode::kDataLoss, "bzip2: the stream is cut short"));
  EXPECT_THAT(ReadAll(3, absl::StrCat(bzip2, "x"), kRocksDb),
              StatusIs(absl::StatusCode::kDataLoss, "bzip2: bytes follow the stream"));
  EXPECT_THAT(ReadAll(3, "BZh1 no stream", kRocksDb),
              StatusIs(absl::StatusCode::kDataLoss, "bzip2: the compressed bytes are malformed"));
  EXPECT_THAT(
      ReadAll(7, FromHex("02") + Zstd("abc"), kRocksDb),
      StatusIs(absl::StatusCode::kDataLoss, "zstd: 2 bytes are claimed before a frame of 3"));
}

TEST(UncompressTest, TakesNoMemoryForAnLz4ClaimThatCannotBe) {
  const std::string stored = FromHex("0000800c00000000 10 61");  // 200 MiB
  const AllocationCounter allocations;
  EXPECT_THAT(
      ReadAll(4, stored, kRocksDb),
      StatusIs(absl::StatusCode::kDataLoss, "lz4: 10 bytes can't hold the 209715200 they claim"));
  EXPECT_LT(allocations.largest(), 4096);
}

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

// Its type 2 is raw deflate, and is called zlib wherever RocksDB names it.
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
TEST_P(BlockCompressorTest, MakesWhatUncompressReads) {
  BlockCompressor compressor(GetParam().first, GetParam().second);
  EXPECT_EQ(compressor.compression(), GetParam().first);
  for (const std::string& raw : {Text(), std::string(1 << 20, 'z'), Text().substr(0, 500)}) {
    const std::optional<absl::string_view> stored = compressor.Compress(raw);
    ASSERT_TRUE(stored.has_value());
    ByteBuffer out;
    ASSERT_OK(Uncompress(TypeByte(GetParam().first), *stored, kLevelDb, raw.size(), &out));
    ASSERT_TRUE(out.view() == raw);
  }
}

// The bytes of the codec by itself, with nothing refused.
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

// A context that is used again must not carry over what it saw.
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

TEST(BlockCompressorTest, AHigherLevelMakesFewerBytes) {
  for (const auto& [compression, low_level, high_level] :
       {std::tuple(Compression::kZstd, -5, 19), std::tuple(Compression::kZlib, 1, 9),
        std::tuple(Compression::kRawDeflate, 1, 9)}) {
    BlockCompressor low(compression, low_level), high(compression, high_level);
    EXPECT_LT(high.Compress(Text())->size(), low.Compress(Text())->size());
  }
}

TEST(BlockCompressorTest, DeflatesLevelZeroCompressesNothing) {
  for (const Compression compression : {Compression::kZlib, Compression::kRawDeflate}) {
    BlockCompressor compressor(compression, 0);
    EXPECT_EQ(compressor.Compress(std::string(1000, 'a')), std::nullopt);
  }
}

// What each codec is called, and which type byte says it, in both directions.
TEST(CompressionTest, IsACodecWithATypeByte) {
  for (int i = 0; i <= static_cast<int>(kLastCompression); ++i) {
    const auto compression = static_cast<Compression>(i);
    SCOPED_TRACE(CodecName(CodecOf(compression), kLevelDb));
    EXPECT_EQ(CompressionOf(CodecOf(compression)), compression);
    BlockCompressor compressor(compression, 1);
    const std::string raw(1000, 'r');
    EXPECT_EQ(
        IdentifyCodec(TypeByte(compression), compressor.Compress(raw).value_or(raw), kLevelDb),
        CodecOf(compression));
  }
  EXPECT_EQ(CompressionOf(Codec::kUnknown), std::nullopt);
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
}  // namespace sstable
