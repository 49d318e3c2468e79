#include "util/escape.h"

#include <string>

#include "gtest/gtest.h"

namespace sstable {
namespace {

std::string Escaped(absl::string_view bytes) {
  std::string text;
  AppendEscaped(bytes, &text);
  return text;
}

std::string EscapedUtf8(absl::string_view bytes) {
  std::string text;
  AppendEscapedUtf8(bytes, &text);
  return text;
}

TEST(EscapeTest, LeavesPrintableAsciiAsItIs) {
  EXPECT_EQ(Escaped("a key: \"x\" 'y' ~"), "a key: \"x\" 'y' ~");
  EXPECT_EQ(Escaped(std::string("\\\t\n\r\0\x1b\x7f", 7)), R"(\\\t\n\r\x00\x1b\x7f)");
  EXPECT_EQ(Escaped("gr\xc3\xbc\xc3\x9f"), R"(gr\xc3\xbc\xc3\x9f)");
}

// Bytes are looked at eight at a time; what is around one must not matter.
TEST(EscapeTest, AByteIsEscapedTheSameWhereverItIs) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string escaped = Escaped(std::string(1, static_cast<char>(byte)));
    for (const char around : {' ', '~', '[', ']', '\0', '\x1f', '\x7f', '\xff', '\\'}) {
      for (size_t position = 0; position < 17; ++position) {
        std::string bytes(17, around), expected;
        bytes[position] = static_cast<char>(byte);
        for (size_t i = 0; i < bytes.size(); ++i) {
          expected += i == position ? escaped : Escaped(std::string(1, around));
        }
        EXPECT_EQ(Escaped(bytes), expected);
      }
    }
  }
}

TEST(EscapeTest, Utf8StaysUnlessItChangesHowTextIsShown) {
  EXPECT_EQ(EscapedUtf8("gr\xc3\xbc\xc3\x9f \xe2\x98\x83"), "gr\xc3\xbc\xc3\x9f \xe2\x98\x83");
  EXPECT_EQ(EscapedUtf8("\xc3"), R"(\xc3)");                  // cut short
  EXPECT_EQ(EscapedUtf8("\xc2\x9b"), R"(\xc2\x9b)");          // a control sequence begins so
  EXPECT_EQ(EscapedUtf8("\xe2\x80\xae"), R"(\xe2\x80\xae)");  // right-to-left override
  EXPECT_EQ(EscapedUtf8("\x1b[31m\xc3\xbc"), "\\x1b[31m\xc3\xbc");
}

TEST(ShowBytesTest, QuotesAndCutsLongBytes) {
  EXPECT_EQ(ShowBytes(""), "\"\"");
  EXPECT_EQ(ShowBytes("a\"b\n"), R"("a"b\n")");
  EXPECT_EQ(ShowBytes(std::string(64, 'a')), "\"" + std::string(64, 'a') + "\"");
  EXPECT_EQ(ShowBytes(std::string(65, 'a')), "\"" + std::string(64, 'a') + "\"...");
}

TEST(Utf8Test, RefusesWhatIsNoCharacter) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8("\xc2\x80 \xe0\xa0\x80 \xf4\x8f\xbf\xbf"));
  EXPECT_FALSE(IsUtf8("\x80"));              // a continuation
  EXPECT_FALSE(IsUtf8("\xc0\x80"));          // 0 in two bytes
  EXPECT_FALSE(IsUtf8("\xe0\x9f\xbf"));      // 0x7ff in three
  EXPECT_FALSE(IsUtf8("\xed\xa0\x80"));      // a surrogate
  EXPECT_FALSE(IsUtf8("\xf4\x90\x80\x80"));  // above 0x10ffff
  EXPECT_FALSE(IsUtf8("\xe2\x98"));          // cut short
}

}  // namespace
}  // namespace sstable
