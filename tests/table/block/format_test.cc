#include "sstable/format.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"
#include "util/coding.h"

namespace sstable::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint64_t kMax64 = std::numeric_limits<uint64_t>::max();

// 40 bytes of handles, then the magic.
std::string FooterBytes(absl::string_view handles, uint64_t magic = kTableMagic) {
  std::string bytes(handles);
  bytes.resize(kFooterHandlesSize, '\0');
  AppendFixed64(&bytes, magic);
  return bytes;
}

TEST(BlockHandleTest, AcceptsVarintsLongerThanNeeded) {
  const std::string bytes = FromHex("8580808080808080800086808000");
  absl::string_view input = bytes;
  ASSERT_OK_AND_ASSIGN(const BlockHandle handle, BlockHandle::Parse(&input));
  EXPECT_EQ(handle, (BlockHandle{5, 6}));
}

struct FitsCase {
  const char* name;
  BlockHandle handle;
  uint64_t file_size;
  bool fits;
};
class FitsInFileTest : public testing::TestWithParam<FitsCase> {};
TEST_P(FitsInFileTest, CountsTrailerAndFooterAndNeverWraps) {
  EXPECT_EQ(FitsInFile(GetParam().handle, GetParam().file_size), GetParam().fits);
}
INSTANTIATE_TEST_SUITE_P(Handles, FitsInFileTest,
                         testing::ValuesIn<FitsCase>({
                             {"ExactlyUpToTheFooter", {10, 37}, 100, true},
                             {"OneByteIntoTheFooter", {10, 38}, 100, false},
                             {"StartsOneByteTooLate", {11, 37}, 100, false},
                             {"EmptyBlockInTheSmallestFile", {0, 0}, 53, true},
                             {"FileSmallerThanAnyTable", {0, 0}, 52, false},
                             {"EmptyFile", {0, 0}, 0, false},
                             {"OffsetBehindTheFile", {101, 0}, 100, false},
                             {"HugeOffset", {kMax64, 0}, 100, false},
                             {"HugeSize", {0, kMax64}, 100, false},
                             {"SizeAndTrailerWrap", {0, kMax64 - 4}, 100, false},
                             {"OffsetAndSizeWrapToZero", {kMax64 - 9, 10}, 100, false},
                             {"BothHuge", {kMax64, kMax64}, kMax64, false},
                             {"FitsTheLargestFile", {kMax64 - 53, 0}, kMax64, true},
                         }),
                         [](const auto& info) { return info.param.name; });

TEST(FooterTest, AcceptsHandlesPaddedToFillTheirForty) {
  const std::string zero = FromHex("80808080808080808000");
  const std::string five = FromHex("85808080808080808000");
  ASSERT_OK_AND_ASSIGN(const Footer footer,
                       Footer::Parse(FooterBytes(absl::StrCat(zero, zero, five, zero)), 100));
  EXPECT_EQ(footer.index, (BlockHandle{5, 0}));
}

// A footer of zeros would otherwise describe a table without entries.
TEST(FooterTest, RefusesHandlesOfOneBlock) {
  for (const auto& [metaindex, index] : std::vector<std::pair<BlockHandle, BlockHandle>>{
           {{0, 0}, {0, 0}}, {{10, 8}, {10, 8}}, {{10, 8}, {22, 8}}, {{22, 8}, {10, 8}}}) {
    EXPECT_THAT(Footer::Parse((Footer{metaindex, index}).Encode(), 100),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("overlap")));
  }
  EXPECT_OK(Footer::Parse((Footer{{10, 8}, {23, 8}}).Encode(), 100));
  EXPECT_OK(Footer::Parse((Footer{{23, 8}, {10, 8}}).Encode(), 100)) << "RocksDB's";
}

TEST(FooterTest, IgnoresBytesBehindTheHandles) {
  std::string bytes = (Footer{{0, 8}, {13, 8}}).Encode();
  for (size_t i = 4; i < kFooterHandlesSize; ++i) bytes[i] = '\xff';
  ASSERT_OK_AND_ASSIGN(const Footer footer, Footer::Parse(bytes, 74));
  EXPECT_EQ(footer.index, (BlockHandle{13, 8}));
}

TEST(FooterTest, NamesTheFieldThatIsCutShort) {
  EXPECT_THAT(
      Footer::Parse(FooterBytes(std::string(40, '\x80')), 100),
      StatusIs(absl::StatusCode::kDataLoss, "footer: metaindex: block handle is cut short"));
  // The fourth varint does not end within the 40 bytes.
  const std::string zero = FromHex("80808080808080808000");
  EXPECT_THAT(
      Footer::Parse(FooterBytes(absl::StrCat(zero, zero, zero, std::string(10, '\x80'))), 100),
      StatusIs(absl::StatusCode::kDataLoss, "footer: index: block handle is cut short"));
}

TEST(FooterTest, SaysWhichHandleLeavesTheFile) {
  const std::string bytes = (Footer{{0, 8}, {13, 900}}).Encode();
  EXPECT_THAT(Footer::Parse(bytes, 900),
              StatusIs(absl::StatusCode::kDataLoss,
                       "footer: index handle names offset 13 and size 900, past the footer of a "
                       "file of 900 bytes"));
  EXPECT_THAT(Footer::Parse((Footer{{kMax64, 8}, {13, 8}}).Encode(), 900),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("metaindex handle names offset 18446744073709551615")));
}

struct MagicCase {
  const char* name;
  const char* last_bytes;  // hex, as stored in the file
  const char* description;
};
class FooterMagicTest : public testing::TestWithParam<MagicCase> {};
TEST_P(FooterMagicTest, IsCalledByItsName) {
  const std::string magic = FromHex(GetParam().last_bytes);
  EXPECT_THAT(Footer::Parse(FooterBytes("", DecodeFixed64(magic.data())), 100),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr("not a LevelDB table"), HasSubstr(GetParam().description))));
}
INSTANTIATE_TEST_SUITE_P(Magics, FooterMagicTest,
                         testing::ValuesIn<MagicCase>({
                             {"RocksDbBlockBased", "f7cff485b741e288",
                              "(RocksDB's block-based table)"},
                             {"RocksDbPlain", "6495bf6396224282", "(RocksDB's plain table)"},
                             {"RocksDbPlainLegacy", "b8138f7aeb18344f", "(RocksDB's plain table)"},
                             {"RocksDbCuckoo", "7378f1c5d0896792", "(RocksDB's cuckoo table)"},
                             {"Pebble", "f09faab3f09faab3", "(Pebble's table)"},
                             {"Zeros", "0000000000000000",
                              "zeros: the file is cut short, or was never written to its end"},
                         }),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable::test
