#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "decode/script_value.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace sstable::test {
namespace {

std::string Json(absl::string_view bytes) {
  ValueTree tree;
  DecodeScriptValue(
      bytes, [](uint64_t, ObjectBuilder*) {}, &tree);
  return tree.Json();
}

struct V8Case {
  const char* name;
  const char* hex;
  const char* json;  // or its beginning if the value can't be decoded
};

class V8ValueTest : public testing::TestWithParam<V8Case> {};

// Most of these were written by Node 20 and Chromium 156.
const V8Case kCases[] = {
    {"Undefined", "ff0f5f", R"({"$undefined":1})"},
    {"Null", "ff0f30", R"(null)"},
    {"True", "ff0f54", R"(true)"},
    {"Int", "ff0f498001", R"(64)"},
    {"NegativeInt", "ff0f4901", R"(-1)"},
    {"LeastInt", "ff0f49ffffffff0f", R"(-2147483648)"},
    {"OldUnsigned", "ff0f5505", R"(5)"},
    {"Double", "ff0f4e000000000000e041", R"(2147483648)"},
    {"NegativeZero", "ff0f4e0000000000000080", R"({"$number":"-0"})"},
    {"NaN", "ff0f4e000000000000f87f", R"({"$number":"NaN"})"},
    {"BigintZero", "ff0f5a00", R"({"$bigint":"0"})"},
    {"BigintMinusOne", "ff0f5a110100000000000000", R"({"$bigint":"-1"})"},
    {"BigintOfTwoWords", "ff0f5a2000000000000000000100000000000000",
     R"({"$bigint":"18446744073709551616"})"},
    {"BigintOfThreeBytes", "ff0f5a06010203", R"({"$bigint":"197121"})"},
    {"Latin1", "ff0f2201e9", R"("é")"},
    {"Utf16", "ff0f6302ac20", R"("€")"},
    {"Utf8", "ff0f5303e282ac", R"("€")"},
    {"LoneSurrogate", "ff0f630200d8", R"({"$utf16":"d800"})"},
    {"EmptyObject", "ff0f6f7b00", R"({})"},
    {"Object", "ff0f6f2201e949026302ac2049047b02", R"({"é":1,"€":2})"},
    {"ObjectWithIndex", "ff0f6f4902490422016249067b02", R"({"1":2,"b":3})"},
    {"ObjectWithLargestIndex", "ff0f6f4e0000c0ffffffef414902220a3432393439363732393549047b02",
     R"({"4294967294":1,"4294967295":2})"},
    {"DenseArray", "ff0f41024902220161240002", R"([1,"a"])"},
    {"DenseUndefined", "ff0f41015f240001", R"([{"$undefined":1}])"},
    {"SparseWithHole", "ff0f61034900490249044906400203", R"([1,{"$hole":1},3])"},
    {"Sparse", "ff0f6108490a4902400108", R"([{"$hole":5},1,{"$hole":2}])"},
    {"DenseWithProperty", "ff0f410249024904220178220179240102",
     R"({"$array":{"length":2,"entries":[[0,1],[1,2],["x","y"]]}})"},
    {"Cycle", "ff0f6f2201615e007b01", R"({"$id":0,"$value":{"a":{"$ref":0}}})"},
    {"Shared", "ff0f4102410149022400015e01240002", R"([{"$id":0,"$value":[1]},{"$ref":0}])"},
    {"Epoch", "ff0f440000000000000000", R"({"$date":"1970-01-01T00:00:00.000Z"})"},
    {"InvalidDate", "ff0f44000000000000f87f", R"({"$date":null})"},
    {"Boxed", "ff0f410579786e000000000000f83f732201617a100100000000000000240005",
     R"([{"$boxed":true},{"$boxed":false},{"$boxed":1.5},{"$boxed":"a"},{"$boxed":{"$bigint":"1"}}])"},
    {"PaddedString", "ff0f73006302ac20", R"({"$boxed":"€"})"},
    {"RegExp", "ff0f522204615c2f62bf01", R"({"$regexp":"a\\/b","flags":"dgimsuy"})"},
    {"RegExpOfSets", "ff0f522201618002", R"({"$regexp":"a","flags":"v"})"},
    {"Map", "ff0f3b22016b49026f7b002749022c013a04", R"({"$map":[["k",1],[{},{"$set":[1]}]]})"},
    {"Set", "ff0f2749022201614e000000000000f87f49002c04",
     R"({"$set":[1,"a",{"$number":"NaN"},0]})"},
    {"TypeError", "ff0f72546d22017473220273742e",
     R"({"$error":{"type":"TypeError","message":"t","stack":"st"}})"},
    {"ErrorWithCause", "ff0f726d22016d636f22016149027b01732201732e",
     R"({"$error":{"type":"Error","message":"m","cause":{"a":1},"stack":"s"}})"},
    {"EmptyBuffer", "ff0f4200", R"({"$buffer":""})"},
    {"Resizable", "ff0f7e040800000000", R"({"$buffer":"AAAAAA==","max":8})"},
    {"LengthTracking", "ff0f7e0408000000005642000003",
     R"({"$view":"Uint8Array","of":{"$buffer":"AAAAAA==","max":8},"offset":0,"bytes":0,"tracking":true})"},
    {"ViewAtOffset", "ff0f420801020304050607085677020400",
     R"({"$view":"Int16Array","of":{"$buffer":"AQIDBAUGBwg="},"offset":2,"bytes":4})"},
    {"SharedBuffer", "ff0f6f2201764208010203040506070856420101002201625e012201775e027b03",
     R"({"v":{"$id":0,"$value":{"$view":"Uint8Array","of":{"$id":1,"$value":{"$buffer":"AQIDBAUGBwg="}},"offset":1,"bytes":1}},"b":{"$ref":1},"w":{"$ref":0}})"},
    {"RepeatedName", "ff0f6f220161490222016149047b02",
     R"({"$undecoded":"a name was given twice at 15")"},
    {"UnknownId", "ff0f5e00", R"({"$undecoded":"id 0 of 0 at 4")"},
    {"LongArray", "ff0f41ffffff7f", R"({"$undecoded":"length exceeds what is left, at 7")"},
    {"NegativeZeroBigint", "ff0f5a01", R"({"$undecoded":"a negative zero at 4")"},
    {"Version13", "ff0d6f2201614203010203564200037b01",
     R"({"a":{"$view":"Uint8Array","of":{"$buffer":"AQID"},"offset":0,"bytes":3}})"},
    {"ImmutableBuffer", "ff15fe000000000000000000000000ff1043020102",
     R"({"$buffer":"AQI=","immutable":true})"},
    {"Float16", "ff15fe000000000000000000000000ff104202003c5668000200",
     R"({"$view":"Float16Array","of":{"$buffer":"ADw="},"offset":0,"bytes":2})"},
    {"StackBeforeCause",
     "ff15fe000000000000000000000000ff1072546d22016d7322025354636f22016149027b012e",
     R"({"$error":{"type":"TypeError","message":"m","stack":"ST","cause":{"a":1}}})"},
    {"BlobsAndFile", "ff15fe000000000000001f00000007ff1041035c69005c69015c6502240003a0000000026965",
     R"([{"$blob":{"index":0}},{"$blob":{"index":1}},{"$file":{"index":2}}])"},
    {"ImageData", "ff15fe000000000000001f00000006ff105c23010103000001010401020304a00000000123",
     R"({"$host":"ImageData","values":[[1,1,3,0],1,1,{"$buffer":"AQIDBA=="}]})"},
    {"CryptoKey",
     "ff15fe000000000000002800000006ff105c4b01091006101f3c832bc6d6a7ec3b150391c67d18a1a0000000014b",
     R"({"$host":"CryptoKey","values":[1,9,16,6,{"$buffer":"HzyDK8bWp+w7FQORxn0YoQ=="}]})"},
    {"Directory", "ff15fe000000000000001500000006ff105c4e0000a0000000014e",
     R"({"$host":"FileSystemDirectoryHandle","values":["",0]})"},
    // These were made by hand.
    {"FlagsOfVersion13", "ff0d6f2201617e0208010256420000017b01",
     R"({"a":{"$view":"Uint8Array","of":{"$buffer":"AQI=","max":8},"offset":0,"bytes":0,"tracking":true}})"},
    {"HoleOfVersion10", "ff0a41025f4902240002", R"([{"$hole":1},1])"},
    {"SparseOutOfOrder", "ff0f6104490249024900490440020400",
     R"({"$array":{"length":4,"entries":[[1,1],[0,2]]}})"},
    {"SparsePastLength", "ff0f6101490a4902400101", R"([{"$hole":5},1])"},
    {"OldRegExpAndString", "ff0b41025201610273026263240002",
     R"([{"$regexp":"a","flags":"i"},{"$boxed":"bc"}])"},
    {"OldHostTag", "ff0c4c03010203", R"({"$host":"FileList","values":[1,2,3]})"},
    {"SwappedPairs", "0fff7b6f0000", R"({})"},
    {"UnknownTag", "ff0f7000", R"({"$undecoded":"tag 0x70 at 2")"},
    {"NewerVersion", "ff15fe000000000000000000000000ff1130",
     R"({"$undecoded":"version 17 of V8's format")"},
    {"NewerBlink", "ff16fe000000000000000000000000ff1030", "null"},
    {"Version0", "305f30", R"({"$undecoded":"no version at 0")"},
    {"NoValue", "ff0f00", R"({"$undecoded":"no value at 3")"},
    {"SizeBeyondTheEnd", "ff0f42ffffffff0f", R"({"$undecoded":"size 4294967295 of 0 bytes at 8")"},
    {"ViewBeyondItsBuffer", "ff0f420200005642000300",
     R"({"$undecoded":"a view that is not within its buffer at 11")"},
    {"CountOfAMap", "ff0f3b49023a01", R"({"$undecoded":"an odd count in a map at 7")"},
    {"OtherCount", "ff0f6f7b01", R"({"$undecoded":"count 1, not 0, at 5")"},
    {"NameOfAFraction", "ff0f6f4e000000000000f83f307b01",
     R"({"$undecoded":"a name that is not a whole number below 2^53 at 12")"},
    {"NameOfALargeNumber", "ff0f6f4e0000000000004043307b01",
     R"({"$undecoded":"a name that is not a whole number below 2^53 at 12")"},
    {"ErrorWithTwoMessages", "ff0f726d2201616d2201622e",
     R"({"$undecoded":"a field of an error was given twice at 12")"},
};

TEST_P(V8ValueTest, Decodes) {
  const std::string json = Json(absl::HexStringToBytes(GetParam().hex));
  if (absl::StartsWith(GetParam().json, "{\"$undecoded")) {
    EXPECT_TRUE(absl::StartsWith(json, GetParam().json)) << json;
  } else {
    EXPECT_EQ(json, GetParam().json);
  }
}

TEST_P(V8ValueTest, SurvivesAnyDamage) {
  const std::string bytes = absl::HexStringToBytes(GetParam().hex);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_TRUE(nlohmann::json::accept(Json(bytes.substr(0, size)))) << size;
  }
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_TRUE(nlohmann::json::accept(Json(flipped))) << bit;
  }
}

INSTANTIATE_TEST_SUITE_P(Values, V8ValueTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

std::string Nested(size_t depth) {
  std::string bytes = "\xff\x0f";
  for (size_t i = 0; i < depth; ++i) bytes += "A\1";
  bytes += "0";
  for (size_t i = 0; i < depth; ++i) bytes.append("$\0\1", 3);
  return bytes;
}

// Chromium can store about 3,000 levels.
TEST(V8ValueTest, DepthIsBounded) {
  EXPECT_EQ(Json(Nested(3000)), std::string(3000, '[') + "null" + std::string(3000, ']'));
  EXPECT_TRUE(absl::StartsWith(Json(Nested(100'000)), "{\"$undecoded\":\"more than 10000 levels"));
}

// An array of a few bytes may claim to have 4 billion elements, or refer to one object many times.
TEST(V8ValueTest, SparseArraysAndReferencesAreNotExpanded) {
  EXPECT_EQ(Json(absl::HexStringToBytes("ff0f61ffffffff0f4000ffffffff0f")),
            R"([{"$hole":4294967295}])");
}

TEST(V8ValueTest, PartsAreBounded) {
  std::string bytes = absl::StrCat("\xff\x0f", "A\x80\x80\x80\x04", std::string(8 << 20, '0'));
  EXPECT_TRUE(absl::StartsWith(Json(bytes), "{\"$undecoded\":\"more than 8 MiB, decoded"));
}

// Tests 1,000 random values from Node: its serialization, and the JSON by clones.mjs.
TEST(V8ValueTest, DecodesWhatNodeWrites) {
  if (std::system("command -v node > /dev/null") != 0) GTEST_SKIP() << "there is no node";
  FILE* const node = popen("node tests/decode/clones.mjs 1000 1", "r");
  ASSERT_NE(node, nullptr);
  std::string output;
  char buffer[1 << 16];
  while (const size_t size = fread(buffer, 1, sizeof(buffer), node)) output.append(buffer, size);
  ASSERT_EQ(pclose(node), 0);
  size_t values = 0;
  for (const absl::string_view line : absl::StrSplit(output, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    ASSERT_EQ(fields.size(), 2u);
    EXPECT_EQ(nlohmann::json::parse(Json(absl::HexStringToBytes(fields[0]))),
              nlohmann::json::parse(fields[1]))
        << "seed " << 1 + values;
    ++values;
  }
  EXPECT_EQ(values, 1000u);
}

}  // namespace
}  // namespace sstable::test
