#include "util/portable_json.h"

#include <string>

#include "gtest/gtest.h"

namespace sstable {
namespace {

struct JsonCase {
  const char* name;
  const char* json;
  const char* portable;
};
class PortableJsonTest : public testing::TestWithParam<JsonCase> {};
TEST_P(PortableJsonTest, QuotesWhatADoubleWouldRound) {
  EXPECT_EQ(PortableJson(GetParam().json), GetParam().portable);
}
INSTANTIATE_TEST_SUITE_P(
    Json, PortableJsonTest,
    testing::ValuesIn<JsonCase>({
        {"Limit", "[9007199254740992,-9007199254740992]", "[9007199254740992,-9007199254740992]"},
        {"Above", R"({"a":9007199254740993})", R"({"a":"9007199254740993"})"},
        {"Below", "-9007199254740993", R"("-9007199254740993")"},
        {"Longer", "[18446744073709551615,1]", R"(["18446744073709551615",1])"},
        {"Doubles", "[1e300,12345678901234567890.5]", "[1e300,12345678901234567890.5]"},
        {"InAString", R"("\"9007199254740993 \\")", R"("\"9007199254740993 \\")"},
        {"Control", "\"\xc2\x9b\"", R"("\u009b")"},
        {"Words", "[null,true,{}]", "[null,true,{}]"},
    }),
    [](const auto& info) { return info.param.name; });

TEST(PortableJsonTest, NumbersOfItsOwn) {
  EXPECT_EQ(PortableNumber(0), "0");
  EXPECT_EQ(PortableNumber((uint64_t{1} << 56) - 1), "\"72057594037927935\"");
}

}  // namespace
}  // namespace sstable
