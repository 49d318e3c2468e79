#include "table/block/block.h"

#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/block_bytes.h"
#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

constexpr uint32_t kMax32 = std::numeric_limits<uint32_t>::max();

TEST(BlockTest, RefusesBytesTooFewForARestartCount) {
  for (size_t size = 0; size < 4; ++size) {
    const PaddedBytes bytes(std::string(size, '\0'));
    EXPECT_THAT(
        Block::Parse(bytes.view()),
        StatusIs(absl::StatusCode::kDataLoss,
                 absl::StrCat("block of ", size, " bytes has no room for its restart count")));
  }
}

TEST(BlockTest, RefusesARestartArrayLargerThanTheBlock) {
  const PaddedBytes bytes(FromHex("00000000 02000000"));
  EXPECT_THAT(Block::Parse(bytes.view()),
              StatusIs(absl::StatusCode::kDataLoss,
                       "block of 8 bytes claims 2 restart points, has room for 1"));
  // In 32 bits, 4 * count wraps to 0 or 4.
  for (const char* count : {"00000040", "01000040", "ffffffff", "000000c0"}) {
    const PaddedBytes wrapping(FromHex(absl::StrCat("00000000", count)));
    EXPECT_THAT(Block::Parse(wrapping.view()),
                StatusIs(absl::StatusCode::kDataLoss, testing::HasSubstr("has room for 1")))
        << count;
  }
}

TEST(BlockTest, RefusesMoreThan32BitsOfBytesUnread) {
  // The size is not real; reading that many bytes would crash.
  const std::string few = "few";
  EXPECT_THAT(Block::Parse(absl::string_view(few.data(), uint64_t{1} << 32)),
              StatusIs(absl::StatusCode::kDataLoss,
                       "block of 4294967296 bytes; its restart points have 32 bits"));
}

// One entry, followed by a restart array that could be read as the rest of a truncated entry.
struct EntryCase {
  const char* name;
  std::string entry;
  const char* error;  // null if the entry can be decoded
};
class DecodeEntryTest : public testing::TestWithParam<EntryCase> {};
TEST_P(DecodeEntryTest, StaysInsideTheEntries) {
  const PaddedBytes bytes(absl::StrCat(GetParam().entry, EncodeRestarts({0})));
  ASSERT_OK_AND_ASSIGN(const Block block, Block::Parse(bytes.view()));
  BlockEntry entry;
  const bool decoded = DecodeEntry(block.begin(), block, &entry);
  EXPECT_EQ(decoded, GetParam().error == nullptr);
  if (decoded) {
    EXPECT_EQ(entry.next(), block.end());
  } else {
    EXPECT_THAT(EntryError(block, block.begin(), /*key_size=*/kMax32),
                StatusIs(absl::StatusCode::kDataLoss, GetParam().error));
  }
}
constexpr char kCutShort[] = "entry at offset 0: its three sizes are cut short";
INSTANTIATE_TEST_SUITE_P(
    Bytes, DecodeEntryTest,
    testing::ValuesIn<EntryCase>({
        {"Whole", EncodeEntry(0, "key", "value"), nullptr},
        {"NothingInIt", EncodeEntry(0, "", ""), nullptr},
        {"LongKey", EncodeEntry(0, std::string(200, 'k'), "v"), nullptr},
        {"LongValue", EncodeEntry(0, "k", std::string(70000, 'v')), nullptr},
        {"LongSharedSize", EncodeEntry(300, "k", "v"), nullptr},
        {"VarintsLongerThanNeeded", FromHex("8000 818000 8000 6b"), nullptr},
        {"OneByteOfSizes", std::string(1, '\0'), kCutShort},
        {"TwoBytesOfSizes", std::string(2, '\0'), kCutShort},
        {"FirstVarintGoesOn", "\x80", kCutShort},
        {"SecondVarintGoesOn", std::string("\0\x80", 2), kCutShort},
        {"ThirdVarintGoesOn", std::string("\0\x01\x80", 3), kCutShort},
        {"VarintOfSixBytes", FromHex("8080808080000000"), kCutShort},
        {"KeyCutShort", EncodeEntry(0, "key", "").substr(0, 5),
         "entry at offset 0: key bytes 3 and value bytes 0 are more than the 2 that remain"},
        {"ValueCutShort", EncodeEntry(0, "key", "value").substr(0, 10),
         "entry at offset 0: key bytes 3 and value bytes 5 are more than the 7 that remain"},
        {"LongValueCutShort", EncodeEntry(0, "", std::string(200, 'v')).substr(0, 203),
         "entry at offset 0: key bytes 0 and value bytes 200 are more than the 199 that remain"},
        {"SizesWrapIn32Bits", absl::StrCat(EncodeEntrySizes(0, kMax32, 2), "x"),
         "entry at offset 0: key bytes 4294967295 and value bytes 2 are more than the 1 that "
         "remain"},
        {"BothSizesHuge", absl::StrCat(EncodeEntrySizes(0, kMax32, kMax32), "x"),
         "entry at offset 0: key bytes 4294967295 and value bytes 4294967295 are more than the 1 "
         "that remain"},
    }),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable::test
