// The smallest tables, byte by byte. The bytes are LevelDB's.
#include <string>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

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

}  // namespace
}  // namespace sstable::test
