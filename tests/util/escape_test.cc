#include "util/escape.h"

#include <string>
#include <vector>

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

// Bytes are processed eight at a time, but a byte's neighbours must not matter.
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
  EXPECT_EQ(EscapedUtf8("\xc2\x9b"), R"(\xc2\x9b)");          // begins a control sequence
  EXPECT_EQ(EscapedUtf8("\xe2\x80\xae"), R"(\xe2\x80\xae)");  // right-to-left override
  EXPECT_EQ(EscapedUtf8("\x1b[31m\xc3\xbc"), "\\x1b[31m\xc3\xbc");
}

TEST(EscapeTest, NoCharacterThatChangesHowTextIsShownIsLeft) {
  struct Case {
    const char* name;
    const char* bytes;
    const char* in_text;
    const char* in_json;
  };
  for (const Case& c : std::vector<Case>{
           {"escape", "\x1b", R"(\x1b)", R"(\u001b)"},
           {"delete", "\x7f", R"(\x7f)", R"(\u007f)"},
           {"next line U+0085", "\xc2\x85", R"(\xc2\x85)", R"(\u0085)"},
           {"CSI U+009B", "\xc2\x9b", R"(\xc2\x9b)", R"(\u009b)"},
           {"Arabic letter mark U+061C", "\xd8\x9c", R"(\xd8\x9c)", R"(\u061c)"},
           {"left-to-right mark U+200E", "\xe2\x80\x8e", R"(\xe2\x80\x8e)", R"(\u200e)"},
           {"right-to-left mark U+200F", "\xe2\x80\x8f", R"(\xe2\x80\x8f)", R"(\u200f)"},
           {"line separator U+2028", "\xe2\x80\xa8", R"(\xe2\x80\xa8)", R"(\u2028)"},
           {"paragraph separator U+2029", "\xe2\x80\xa9", R"(\xe2\x80\xa9)", R"(\u2029)"},
           {"embedding U+202A", "\xe2\x80\xaa", R"(\xe2\x80\xaa)", R"(\u202a)"},
           {"override U+202E", "\xe2\x80\xae", R"(\xe2\x80\xae)", R"(\u202e)"},
           {"isolate U+2066", "\xe2\x81\xa6", R"(\xe2\x81\xa6)", R"(\u2066)"},
           {"end of isolate U+2069", "\xe2\x81\xa9", R"(\xe2\x81\xa9)", R"(\u2069)"},
       }) {
    SCOPED_TRACE(c.name);
    const std::string bytes(c.bytes);
    EXPECT_EQ(EscapeControls("a" + bytes + "b"), std::string("a") + c.in_text + "b");
    EXPECT_EQ(EscapeControlsOfJson("\"a" + bytes + "\""), std::string("\"a") + c.in_json + "\"");
    EXPECT_EQ(EscapedUtf8("a" + bytes + "b"), std::string("a") + c.in_text + "b");
  }
  const std::string shown = "a\\ \xc3\xbc \xe2\x80\xa6 \xf0\x9f\x8d\x8f";
  EXPECT_EQ(EscapeControls(shown), shown);
  EXPECT_EQ(EscapeControlsOfJson(shown), shown);
  EXPECT_EQ(EscapeControls("\x9b\xe2\x80"), R"(\x9b\xe2\x80)");  // not UTF-8
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
  EXPECT_FALSE(IsUtf8("\x80"));              // a continuation byte
  EXPECT_FALSE(IsUtf8("\xc0\x80"));          // 0 in two bytes
  EXPECT_FALSE(IsUtf8("\xe0\x9f\xbf"));      // 0x7ff in three
  EXPECT_FALSE(IsUtf8("\xed\xa0\x80"));      // a surrogate
  EXPECT_FALSE(IsUtf8("\xf4\x90\x80\x80"));  // above 0x10ffff
  EXPECT_FALSE(IsUtf8("\xe2\x98"));          // cut short
}

}  // namespace
}  // namespace sstable
