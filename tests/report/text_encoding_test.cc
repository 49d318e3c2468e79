#include "report/text/text_encoding.h"

#include <random>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

using ::sstable::test::StatusIs;
using ::testing::HasSubstr;

constexpr TextEncoding kAllEncodings[] = {TextEncoding::kEscaped, TextEncoding::kUtf8,
                                          TextEncoding::kHex, TextEncoding::kBase64};

class TextEncodingTest : public testing::TestWithParam<TextEncoding> {
 protected:
  static void ExpectRoundTrip(const std::string& bytes) {
    const std::string text = Encode(GetParam(), bytes);
    EXPECT_EQ(text.find_first_of(std::string("\t\n\r\0", 4)), text.npos) << text;
    ASSERT_OK_AND_ASSIGN(const std::string decoded, Decode(GetParam(), text));
    EXPECT_EQ(absl::CHexEscape(decoded), absl::CHexEscape(bytes)) << text;
  }
};

TEST_P(TextEncodingTest, EachPairOfBytesComesBack) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      ExpectRoundTrip({static_cast<char>(first), static_cast<char>(second)});
    }
  }
}

TEST_P(TextEncodingTest, RandomBytesComeBack) {
  constexpr unsigned kSeed = 301;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  // Bytes with a special meaning in an encoding are frequent.
  const std::string telling = std::string("\\xntr0aF\t\n\r\xc3\xa9\xe2\x80\xae\xf0\x9f\0", 19);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random() % 20, '\0');
    for (char& byte : bytes) {
      byte = random() % 2 == 0 ? telling[random() % telling.size()] : static_cast<char>(random());
    }
    ExpectRoundTrip(bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TextEncodingTest, testing::ValuesIn(kAllEncodings));

TEST(EncodeTest, EscapedIsPrintableAscii) {
  EXPECT_EQ(Encode(TextEncoding::kEscaped, absl::string_view("a b\\\t\n\r\0\x7f\xc3\xa9", 11)),
            R"(a b\\\t\n\r\x00\x7f\xc3\xa9)");
}

TEST(EncodeTest, Utf8LeavesTextAndEscapesWhatWouldHarmATerminal) {
  EXPECT_EQ(Encode(TextEncoding::kUtf8, "na\xc3\xafve \xe2\x98\x83 \xf0\x9f\x8d\x8e"),
            "na\xc3\xafve \xe2\x98\x83 \xf0\x9f\x8d\x8e");
  EXPECT_EQ(Encode(TextEncoding::kUtf8,
                   "\xc2\x9b"
                   "31m"),
            R"(\xc2\x9b31m)");  // CSI as a C1 control
  EXPECT_EQ(Encode(TextEncoding::kUtf8,
                   "\xe2\x80\xae"
                   "evil"),
            R"(\xe2\x80\xaeevil)");  // right-to-left override
  EXPECT_EQ(Encode(TextEncoding::kUtf8,
                   "\xc3"
                   "("),
            R"(\xc3()");  // truncated
}

TEST(DecodeTest, TakesWhatPeopleType) {
  EXPECT_EQ(Decode(TextEncoding::kEscaped, "na\xc3\xafve").value(), "na\xc3\xafve");
  EXPECT_EQ(Decode(TextEncoding::kEscaped, R"(\xAf)").value(), "\xaf");
  EXPECT_EQ(Decode(TextEncoding::kHex, "00fFA0").value(), std::string("\0\xff\xa0", 3));
}

struct BadText {
  const char* name;
  TextEncoding encoding;
  const char* text;
  const char* message;
};

class DecodeErrorTest : public testing::TestWithParam<BadText> {};

TEST_P(DecodeErrorTest, NamesThePlace) {
  EXPECT_THAT(Decode(GetParam().encoding, GetParam().text),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, DecodeErrorTest,
    testing::ValuesIn<BadText>({
        {"UnknownEscape", TextEncoding::kEscaped, R"(ab\q)", R"(bad escape at byte 3, "\q")"},
        {"LoneBackslash", TextEncoding::kEscaped, R"(ab\)", R"(bad escape at byte 3, "\")"},
        {"OneHexDigit", TextEncoding::kEscaped, R"(\x4)", R"(bad escape at byte 1, "\x4")"},
        {"NoHexDigits", TextEncoding::kUtf8, R"(\xzz)", R"(bad escape at byte 1, "\xzz")"},
        {"OddHex", TextEncoding::kHex, "abc", "hex has 3 digits, expected an even number"},
        {"NotHex", TextEncoding::kHex, "0g", "\"g\" at byte 2 is not a hex digit"},
        {"NotBase64", TextEncoding::kBase64, "a*b=", "\"a*b=\" is not base64"},
    }),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable::test
