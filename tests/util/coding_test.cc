#include "util/coding.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/hex.h"
#include "tests/support/random_bytes.h"

namespace sstable::test {
namespace {

TEST(FixedTest, DecodesWhatItEncodesAtAnyAlignment) {
  Rng rng(1);
  for (size_t offset = 0; offset < 16; ++offset) {
    char bytes[32] = {};
    const uint64_t value = rng();
    EncodeFixed32(bytes + offset, static_cast<uint32_t>(value));
    EXPECT_EQ(DecodeFixed32(bytes + offset), static_cast<uint32_t>(value));
    EncodeFixed64(bytes + offset, value);
    EXPECT_EQ(DecodeFixed64(bytes + offset), value);
  }
}

TEST(FixedTest, AppendsBehindWhatIsThere) {
  std::string bytes = "x";
  AppendFixed32(&bytes, 0);
  AppendFixed64(&bytes, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(ToHex(bytes), Hex("78 00000000 ffffffffffffffff"));
}

struct VarintCase {
  const char* name;
  const char* hex;
  std::optional<uint32_t> value32;  // nullopt: must be refused
  std::optional<uint64_t> value64;
  size_t left = 0;  // bytes that remain after the varint
};

std::vector<VarintCase> VarintCases() {
  constexpr uint32_t kMax32 = std::numeric_limits<uint32_t>::max();
  constexpr uint64_t kMax64 = std::numeric_limits<uint64_t>::max();
  constexpr auto kRefused = std::nullopt;
  return {
      {"Zero", "00", 0, 0},
      {"LargestOfOneByte", "7f", 127, 127},
      {"SmallestOfTwoBytes", "8001", 128, 128},
      {"TwoBytes", "ac02", 300, 300},
      {"LargestOfTwoBytes", "ff7f", 16383, 16383},
      {"SmallestOfThreeBytes", "808001", 16384, 16384},
      {"Largest32", "ffffffff0f", kMax32, kMax32},
      {"Largest64", "ffffffffffffffffff01", kRefused, kMax64},
      {"TopBitOf64", "80808080808080808001", kRefused, uint64_t{1} << 63},

      {"OverlongZeroOfTwoBytes", "8000", 0, 0},
      {"OverlongZeroOfFiveBytes", "8080808000", 0, 0},
      {"OverlongZeroOfTenBytes", "80808080808080808000", kRefused, 0},
      {"OverlongOne", "818000", 1, 1},

      {"OverWide32LosesItsSurplusBits", "ffffffff7f", kMax32, 0x7ffffffff},
      {"OverWide32OfSurplusBitsOnly", "8080808010", 0, uint64_t{1} << 32},
      {"OverWide64LosesItsSurplusBits", "ffffffffffffffffff7f", kRefused, kMax64},
      {"OverWide64OfSurplusBitsOnly", "80808080808080808002", kRefused, 0},

      {"SixBytes", "808080808001", kRefused, uint64_t{1} << 35},
      {"ElevenBytes", "8080808080808080808000", kRefused, kRefused},
      {"ElevenBytesOfOnes", "ffffffffffffffffffff01", kRefused, kRefused},

      {"Nothing", "", kRefused, kRefused},
      {"EndsAfterOneByte", "80", kRefused, kRefused},
      {"EndsAfterFourBytes", "ffffffff", kRefused, kRefused},
      {"EndsAfterNineBytes", "ffffffffffffffffff", kRefused, kRefused},

      {"OneByteBeforeOthers", "05ff80", 5, 5, 2},
      {"TwoBytesBeforeOthers", "ac02ff", 300, 300, 1},
      {"FiveBytesBeforeOthers", "ffffffff0f00", kMax32, kMax32, 1},
  };
}

class VarintTest : public testing::TestWithParam<VarintCase> {
 protected:
  VarintTest() : bytes_(FromHex(GetParam().hex)) {}
  absl::string_view bytes() const { return bytes_.view(); }
  const char* limit() const { return bytes().data() + bytes().size(); }

 private:
  ExactCopy bytes_;
};

TEST_P(VarintTest, TheSlowPathAgreesWithTheInlineOne) {
  uint32_t value = 0, slow_value = 0;
  EXPECT_EQ(DecodeVarint32Slow(bytes().data(), limit(), &slow_value),
            DecodeVarint32(bytes().data(), limit(), &value));
  EXPECT_EQ(slow_value, value);
}

TEST_P(VarintTest, Consume32TakesItOffOrLeavesTheInput) {
  absl::string_view input = bytes();
  uint32_t value = 0;
  const bool consumed = ConsumeVarint32(&input, &value);
  EXPECT_EQ(consumed, GetParam().value32.has_value());
  EXPECT_EQ(value, GetParam().value32.value_or(0));
  EXPECT_EQ(input.size(), consumed ? GetParam().left : bytes().size());
  EXPECT_EQ(input.data() + input.size(), limit());
}

TEST_P(VarintTest, Consume64TakesItOffOrLeavesTheInput) {
  absl::string_view input = bytes();
  uint64_t value = 0;
  const bool consumed = ConsumeVarint64(&input, &value);
  EXPECT_EQ(consumed, GetParam().value64.has_value());
  EXPECT_EQ(value, GetParam().value64.value_or(0));
  EXPECT_EQ(input.size(), consumed ? GetParam().left : bytes().size());
  EXPECT_EQ(input.data() + input.size(), limit());
}

INSTANTIATE_TEST_SUITE_P(Bytes, VarintTest, testing::ValuesIn(VarintCases()),
                         [](const auto& info) { return info.param.name; });

TEST(VarintTest, EncodesThePublishedBytes) {
  std::string bytes;
  for (uint64_t value : {uint64_t{0}, uint64_t{300}, uint64_t{0xffffffff}, ~uint64_t{0}}) {
    AppendVarint64(&bytes, value);
  }
  EXPECT_EQ(ToHex(bytes), Hex("00 ac02 ffffffff0f ffffffffffffffffff01"));
}

TEST(VarintTest, DecodesWhatItEncodesForEveryWidth) {
  constexpr uint64_t kSeed = 2;
  Rng rng(kSeed);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t value = rng() >> (i % 64);
    SCOPED_TRACE(absl::StrCat("seed ", kSeed, ", value ", value));
    std::string bytes;
    AppendVarint64(&bytes, value);
    const ExactCopy copy(bytes);
    absl::string_view input = copy.view();
    uint64_t value64 = 0;
    ASSERT_TRUE(ConsumeVarint64(&input, &value64));
    ASSERT_EQ(value64, value);
    ASSERT_TRUE(input.empty());
    if (value > std::numeric_limits<uint32_t>::max()) continue;
    input = copy.view();
    uint32_t value32 = 0;
    ASSERT_TRUE(ConsumeVarint32(&input, &value32));
    ASSERT_EQ(value32, value);
    ASSERT_TRUE(input.empty());
  }
}

// Random bytes, of which the first ones continue a varint, truncated at every length.
TEST(VarintTest, TheWideDecoderAgreesWithThePlainOne) {
  Rng rng(4);
  for (int round = 0; round < 20000; ++round) {
    char bytes[24];
    const uint64_t run = rng() % 12;  // bytes before this index continue a varint
    for (uint64_t i = 0; i < sizeof(bytes); ++i) {
      bytes[i] = static_cast<char>(rng());
      if (i < run) bytes[i] = static_cast<char>(bytes[i] | 0x80);
    }
    for (size_t size = 0; size <= 12; ++size) {
      uint64_t plain_value = 0, wide_value = 0;
      const char* plain_end = DecodeVarint64(bytes, bytes + size, &plain_value);
      const char* wide_end = DecodeVarint64Wide(bytes, bytes + size, &wide_value);
      ASSERT_EQ(wide_end, plain_end) << ToHex(absl::string_view(bytes, size));
      if (plain_end != nullptr) {
        ASSERT_EQ(wide_value, plain_value) << ToHex(absl::string_view(bytes, size));
      }
    }
  }
}

TEST(ConsumeTest, FixedTakesItOffOrLeavesTheInput) {
  absl::string_view input("\x01\x80\xff\xff", 4);
  int16_t number = 0;
  uint32_t wide = 7;
  EXPECT_TRUE(ConsumeFixed(&input, &number));
  EXPECT_EQ(number, -32767);
  EXPECT_FALSE(ConsumeFixed(&input, &wide));
  EXPECT_EQ(wide, 7);
  EXPECT_EQ(input.size(), 2);
}

TEST(ConsumeTest, SizedTakesItOffOrLeavesTheInput) {
  const struct {
    const char* name;
    std::string input;
    uint64_t unit_size;
    std::optional<std::string> units;
  } kCases[] = {
      {"Bytes", "\2abc", 1, "ab"},
      {"Units", "\2abcd", 2, "abcd"},
      {"None", std::string(1, '\0'), 2, ""},
      {"Short", "\2abc", 2, std::nullopt},
      {"NoCount", "\x80", 1, std::nullopt},
      {"SizeBeyond64Bits", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 2, std::nullopt},
  };
  for (const auto& each : kCases) {
    absl::string_view input = each.input, units;
    ASSERT_EQ(ConsumeSized(&input, each.unit_size, &units), each.units.has_value()) << each.name;
    EXPECT_EQ(units, each.units.value_or("")) << each.name;
    const size_t taken = each.units.has_value() ? 1 + each.units->size() : 0;
    EXPECT_EQ(input, absl::string_view(each.input).substr(taken)) << each.name;
  }
}

}  // namespace
}  // namespace sstable::test
