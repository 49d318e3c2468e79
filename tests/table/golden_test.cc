// The smallest tables, byte by byte. The bytes are LevelDB's; with zlib and raw deflate, they are
// Mojang's, except for those that depend on the version of zlib.
#include <zlib.h>

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"

namespace sstable::test {
namespace {

constexpr char kMagic[] = "57fb808b247547db";

std::string Zeros(size_t count) { return std::string(2 * count, '0'); }

TEST(GoldenTableTest, EmptyWithoutFilter) {
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable({}, {}));
  const std::string empty_block =
      "0000000001000000"  // restart point 0 at offset 0; one restart point
      "00c0f2a1b0";       // stored raw; the masked crc32c
  EXPECT_EQ(absl::BytesToHexString(bytes),
            empty_block +                          // metaindex
                empty_block +                      // index
                "00080d08" + Zeros(36) + kMagic);  // metaindex at 0, 8 bytes; index at 13, 8 bytes
}

TEST(GoldenTableTest, EmptyWithFilter) {
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.filter_policy = policy.get();
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, {}));
  EXPECT_EQ(absl::BytesToHexString(bytes),
            "000000000b"
            "008ae8dad1"  // filter: no filters, array at 0, base lg 11
            "002202" +
                absl::BytesToHexString("filter.leveldb.BuiltinBloomFilter2") +
                "0005"
                "0000000001000000"
                "0065e85da8"
                "0000000001000000"
                "00c0f2a1b0"
                "0a2f3e08" +
                Zeros(36) + kMagic);
}

TEST(GoldenTableTest, OneEntryWithoutFilter) {
  TableBuilderOptions options;
  options.compression = Compression::kNone;
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, {{"a", "1"}}));
  EXPECT_EQ(absl::BytesToHexString(bytes),
            "000101"
            "61"
            "31"
            "0000000001000000"
            "005f7bff3c"  // a -> 1
            "0000000001000000"
            "00c0f2a1b0"
            "000102"
            "62"
            "000d"
            "0000000001000000"
            "006c73b0a8"  // b -> data block (0, 13)
            "12081f0e" +
                Zeros(36) + kMagic);
}

TEST(GoldenTableTest, OneEntryWithFilter) {
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.compression = Compression::kNone;
  options.filter_policy = policy.get();
  ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, {{"a", "1"}}));
  ASSERT_EQ(bytes.size(), 160);
  EXPECT_EQ(absl::BytesToHexString(bytes.substr(18, 23)),
            "0810204080000100"
            "06"
            "00000000"
            "09000000"
            "0b"
            "0081a4a9e8");
  EXPECT_EQ(absl::BytesToHexString(bytes.substr(112, 4)), "292f5d0e");

  ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(NewMemoryFile(bytes)));
  EXPECT_THAT(table->Get("a"), IsOk());
  EXPECT_EQ(table->Get("a").value(), "1");
  EXPECT_EQ(table->Get("b").value(), std::nullopt);
  EXPECT_OK(table->LoadFilter());
}

// Inflates with zlib itself. `window_bits`: 15 for a zlib stream, -15 for raw deflate.
std::string Inflate(absl::string_view stream_bytes, int window_bits) {
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, window_bits), Z_OK);
  std::string raw(1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stream_bytes.data()));
  stream.avail_in = static_cast<uInt>(stream_bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(&raw[0]);
  stream.avail_out = static_cast<uInt>(raw.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0) << "bytes follow the stream";
  raw.resize(stream.total_out);
  inflateEnd(&stream);
  return raw;
}

struct DeflatedTable {
  std::string raw_block;
  std::string stored_block;
};

// Checks a table with one entry and a compressed data block: all bytes except the stream's, which
// depend on the version of zlib.
DeflatedTable CheckDeflatedTable(Compression compression, uint8_t type, int window_bits) {
  TableBuilderOptions options;
  options.compression = compression;
  const std::string bytes = BuildTable(options, {{"a", std::string(100, '1')}}).value();
  const std::string raw_block =
      absl::StrCat(FromHex("000164 61"), std::string(100, '1'), FromHex("00000000 01000000"));
  const size_t size = bytes.size() - 48 - (14 + 5) - (8 + 5) - 5;
  EXPECT_LT(size, 50);
  const std::string stored_block = bytes.substr(0, size);
  EXPECT_EQ(Inflate(stored_block, window_bits), raw_block);

  const auto hex_byte = [](size_t value) {
    return ToHex(std::string(1, static_cast<char>(value)));
  };
  const std::string index_block =
      FromHex(absl::StrCat("000102 62 00", hex_byte(size), "00000000 01000000"));
  EXPECT_EQ(ToHex(bytes.substr(size)), ToHex(EncodeTrailer(stored_block, type)) +
                                           "0000000001000000"
                                           "00c0f2a1b0" +  // the metaindex block, raw
                                           ToHex(index_block) +
                                           ToHex(EncodeTrailer(index_block, 0)) +
                                           hex_byte(size + 5) + "08" + hex_byte(size + 18) + "0e" +
                                           Zeros(36) + kMagic);
  return {raw_block, stored_block};
}

TEST(GoldenTableTest, ZlibBlocksHaveTypeTwo) {
  const DeflatedTable table = CheckDeflatedTable(Compression::kZlib, 2, 15);
  // RFC 1950: deflate with a 32 KiB window, default level and no dictionary. The Adler-32 of the
  // raw block follows it, big-endian.
  EXPECT_EQ(ToHex(table.stored_block.substr(0, 2)), "789c");
  const uLong sum = adler32(1, reinterpret_cast<const Bytef*>(table.raw_block.data()),
                            static_cast<uInt>(table.raw_block.size()));
  EXPECT_EQ(ToHex(table.stored_block.substr(table.stored_block.size() - 4)),
            absl::StrFormat("%08x", sum));
}

TEST(GoldenTableTest, RawDeflateBlocksHaveTypeFour) {
  const DeflatedTable table = CheckDeflatedTable(Compression::kRawDeflate, 4, -15);
  EXPECT_EQ(table.stored_block[0] & 1, 1) << "RFC 1951: the first block of the stream is its last";
}

}  // namespace
}  // namespace sstable::test
