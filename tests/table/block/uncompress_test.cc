// Streams that Uncompress() refuses, and its messages.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/block/compression.h"
#include "tests/support/allocations.h"
#include "tests/support/deflate.h"
#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"
#include "tests/table/block/codec_samples.h"
#include "util/bytes.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

constexpr auto kLevelDb = CompressionNumbering::kLevelDb;
constexpr auto kRocksDb = CompressionNumbering::kRocksDb;

absl::Status ReadAll(uint8_t type, absl::string_view stored,
                     CompressionNumbering dialect = kLevelDb,
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
  // A length of 200 MiB, followed by one literal byte.
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

// Returns a zstd frame that claims to have `claimed` bytes, and has one block with the byte "a".
std::string ZstdFrame(absl::string_view claimed_hex) {
  return FromHex(absl::StrCat("28b52ffd e0", claimed_hex, "090000 61"));
}

TEST(UncompressTest, RefusesAZstdClaimAboveTheLimitUnread) {
  const AllocationCounter allocations;
  EXPECT_THAT(
      ReadAll(2, ZstdFrame("0000000000000010")),
      StatusIs(absl::StatusCode::kOutOfRange,
               HasSubstr("zstd: uncompressed size 1152921504606846976 is above the limit of "
                         "268435456 bytes")));
  EXPECT_LT(allocations.largest(), 4096);
}

TEST(UncompressTest, TakesLittleMemoryForAZstdClaimThatIsALie) {
  const AllocationCounter allocations;
  EXPECT_THAT(ReadAll(2, ZstdFrame("0000000400000000")),  // 64 MiB
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("zstd: ")));
  EXPECT_LT(allocations.largest(), 1 << 20);
  EXPECT_OK(ReadAll(2, ZstdFrame("0100000000000000")));
}

// zstd's decoder accepts such a frame, since it compares sizes only after a last block that has
// bytes.
TEST(UncompressTest, RefusesAZstdFrameThatHoldsLessThanItClaims) {
  EXPECT_THAT(
      ReadAll(2, FromHex("28b52ffd 60 2262 010000")),
      StatusIs(absl::StatusCode::kDataLoss, "zstd: the frame claims 25378 bytes and has 0"));
}

TEST(UncompressTest, CanReadAfterAFrameWasCutShort) {
  const std::string zstd = Zstd(Text());
  EXPECT_THAT(ReadAll(2, zstd.substr(0, zstd.size() / 2)), testing::Not(IsOk()));
  EXPECT_OK(ReadAll(2, zstd)) << "the thread's context was left in the middle of a frame";
}

struct TypeCase {
  const char* name;
  uint8_t type;
  CompressionNumbering dialect;
  const char* stored_hex;
  Codec codec;
  const char* error;  // null if the codec is recognized
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

// Two stored blocks of deflate that are also valid as LZ4: the first 8 bytes are an uncompressed
// size of 0xffff00, and the rest yields as many bytes.
TEST(UncompressTest, RefusesABlockOfTypeFourThatIsOneOfTwoCodecs) {
  const std::string repeat_a_byte = FromHex("0100");  // a match offset; its token has size 15
  std::string first = FromHex("000000") + FromHex("1f 61") + repeat_a_byte;
  first += std::string(65526, '\xff') + FromHex("00");  // continues the size
  first += FromHex("5f");                               // 5 literals: the second block's header
  ASSERT_EQ(first.size(), 0xffff);
  const std::string second =
      repeat_a_byte + std::string(265, '\xff') + FromHex("c7 c0") + std::string(12, 'z');
  ASSERT_EQ(second.size(), 0x119);
  const std::string stored = FromHex("00 ffff 0000") + first + FromHex("01 1901 e6fe") + second;
  EXPECT_EQ(IdentifyCodec(4, stored, kLevelDb), Codec::kLz4);
  EXPECT_OK(ReadAll(4, stored, kRocksDb));
  EXPECT_THAT(ReadAll(4, stored), StatusIs(absl::StatusCode::kDataLoss,
                                           "compression type 4: the block can be read as raw "
                                           "deflate and as LZ4, and nothing shows which it is"));
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

}  // namespace
}  // namespace sstable::test
