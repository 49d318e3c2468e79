#include "decode/value_tree.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace sstable::test {
namespace {

using Kind = ValueTree::Kind;

struct JsonCase {
  const char* name;
  std::function<void(ValueTree*)> add;
  const char* json;
};

class ValueTreeTest : public testing::TestWithParam<JsonCase> {};

TEST_P(ValueTreeTest, WritesJson) {
  ValueTree tree;
  GetParam().add(&tree);
  EXPECT_EQ(tree.Json(), GetParam().json);
  EXPECT_TRUE(nlohmann::json::accept(tree.Json()));
}

void Holes(ValueTree* tree) {
  const size_t outer = tree->Open(Kind::kArray);
  tree->Hole();
  tree->Hole();
  const size_t inner = tree->Open(Kind::kArray);
  tree->Hole();
  tree->Close(inner);
  tree->Hole();
  tree->Close(outer);
}

void ArrayWithProperties(ValueTree* tree) {
  const size_t array = tree->Open(Kind::kArray);
  tree->Bool(true);
  tree->Hole(2);
  tree->Null();
  tree->EndElements(array);
  tree->Text("x");
  tree->Int(-1);
  tree->Close(array);
}

void MapInItself(ValueTree* tree) {
  const size_t map = tree->Open(Kind::kMap);
  tree->Text("k");
  tree->Ref(map);
  const size_t set = tree->Open(Kind::kSet);
  tree->Close(set);
  tree->Ref(set);
  tree->Close(map);
}

void ScalarTwice(ValueTree* tree) {
  const size_t array = tree->Open(Kind::kArray);
  const size_t date = tree->size();
  tree->Date(0);
  tree->Ref(date);
  tree->Close(array);
}

void Names(ValueTree* tree) {
  ObjectBuilder object(tree);
  object.Add("$a", 1).Add("", uint64_t{18446744073709551615u});
  tree->Utf16(std::string("\xd8\0", 2), ByteOrder::kBig);
  tree->Undefined();
  object.Name("form");
  ObjectBuilder form(tree, "$regexp");
  tree->Text("a");
  form.Add("flags", "g");
}

constexpr double kMs = 951782400000;  // on a leap day

const JsonCase kCases[] = {
    {"Undefined", [](ValueTree* t) { t->Undefined(); }, R"({"$undefined":1})"},
    {"NegativeZero", [](ValueTree* t) { t->Double(-0.0); }, R"({"$number":"-0"})"},
    {"NaN", [](ValueTree* t) { t->Double(std::nan("")); }, R"({"$number":"NaN"})"},
    {"Infinity", [](ValueTree* t) { t->Double(-HUGE_VAL); }, R"({"$number":"-Infinity"})"},
    {"Whole", [](ValueTree* t) { t->Double(-3); }, "-3"},
    {"Shortest", [](ValueTree* t) { t->Double(0.1); }, "0.1"},
    {"Number", [](ValueTree* t) { t->Number("1.10"); }, "1.10"},
    {"Denormal", [](ValueTree* t) { t->Double(5e-324); }, "5e-324"},
    {"LeastInt", [](ValueTree* t) { t->Int(INT64_MIN); }, "-9223372036854775808"},
    {"Bigint", [](ValueTree* t) { t->Bigint(true, std::string("\0\0\0\0\0\0\0\0\1", 9)); },
     R"({"$bigint":"-18446744073709551616"})"},
    {"BigintOfZeros", [](ValueTree* t) { t->Bigint(false, std::string(9, '\0')); },
     R"({"$bigint":"0"})"},
    {"BigintWithInnerZeros", [](ValueTree* t) { t->Bigint(false, "\x01\xca\x9a\x3b"); },
     R"({"$bigint":"1000000001"})"},
    {"Escapes", [](ValueTree* t) { t->Text("\"\\\n\xe2\x80\xae"); }, R"("\"\\\u000a\u202e")"},
    {"BadUtf8", [](ValueTree* t) { t->Text("a\xff"); }, "\"a\xef\xbf\xbd\""},
    {"Latin1", [](ValueTree* t) { t->Latin1("\xe9"); }, "\"\xc3\xa9\""},
    {"Pair", [](ValueTree* t) { t->Utf16(std::string("\x3d\xd8\0\xde", 4), ByteOrder::kLittle); },
     "\"\xf0\x9f\x98\x80\""},
    {"LoneSurrogate", [](ValueTree* t) { t->Utf16("\x3d\xd8\x41\x01", ByteOrder::kLittle); },
     R"({"$utf16":"d83d0141"})"},
    {"Bytes", [](ValueTree* t) { t->Bytes("\xff\x01"); }, R"({"$buffer":"/wE="})"},
    {"Date", [](ValueTree* t) { t->Date(0); }, R"({"$date":"1970-01-01T00:00:00.000Z"})"},
    {"LeapDay", [](ValueTree* t) { t->Date(kMs + 1); }, R"({"$date":"2000-02-29T00:00:00.001Z"})"},
    {"BeforeLeapDay", [](ValueTree* t) { t->Date(kMs - 1); },
     R"({"$date":"2000-02-28T23:59:59.999Z"})"},
    {"EndOfYear", [](ValueTree* t) { t->Date(-1); }, R"({"$date":"1969-12-31T23:59:59.999Z"})"},
    {"FirstDate", [](ValueTree* t) { t->Date(-62167219200000); },
     R"({"$date":"0000-01-01T00:00:00.000Z"})"},
    {"LastDate", [](ValueTree* t) { t->Date(253402300799999); },
     R"({"$date":"9999-12-31T23:59:59.999Z"})"},
    {"EarlierDate", [](ValueTree* t) { t->Date(-62167219200001); }, R"({"$date":-62167219200001})"},
    {"NoDate", [](ValueTree* t) { t->Date(8.64e15 + 2); }, R"({"$date":null})"},
    {"Holes", Holes, R"([{"$hole":2},[{"$hole":1}],{"$hole":1}])"},
    {"Properties", ArrayWithProperties,
     R"({"$array":{"length":4,"entries":[[0,true],[3,null],["x",-1]]}})"},
    {"Cycle", MapInItself,
     R"({"$id":0,"$value":{"$map":[["k",{"$ref":0}],[{"$id":1,"$value":{"$set":[]}},{"$ref":1}]]}})"},
    {"ScalarTwice", ScalarTwice,
     R"([{"$id":0,"$value":{"$date":"1970-01-01T00:00:00.000Z"}},{"$ref":0}])"},
    {"Names", Names,
     R"({"$$a":1,"":18446744073709551615,"$utf16:d800":{"$undefined":1},"form":{"$regexp":"a","flags":"g"}})"},
    {"Undecoded", [](ValueTree* t) { t->Undecoded("why", "\x01"); },
     R"({"$undecoded":"why","bytes":{"$buffer":"AQ=="}})"},
};

INSTANTIATE_TEST_SUITE_P(Values, ValueTreeTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(ValueTreeTest, TruncateTakesBackTextToo) {
  ValueTree tree;
  const size_t array = tree.Open(Kind::kArray);
  tree.Text("kept");
  const size_t size = tree.size();
  ObjectBuilder(&tree).Add("taken", "back").Name("x")->Bytes("bytes");
  tree.Truncate(size);
  tree.Text("next");
  tree.Close(array);
  EXPECT_EQ(tree.Json(), R"(["kept","next"])");
}

TEST(ValueTreeTest, SummaryHasTheKindAndFields) {
  ValueTree tree;
  ObjectBuilder(&tree).Add("kind", "coin").Add("txid", "a\"").Name("key")->Bytes("");
  std::string text;
  tree.AppendSummary(&text);
  EXPECT_EQ(text, R"(coin txid="a\"" key={"$buffer":""})");
}

TEST(ValueTreeTest, HugeBigintsAreInHexadecimalDigits) {
  ValueTree tree;
  tree.Bigint(true, std::string(1025, '\x01'));
  std::string digits;
  for (int i = 0; i < 1025; ++i) digits += "01";
  EXPECT_EQ(tree.Json(), R"({"$bigint":"-0x)" + digits + "\"}");
}

// Parts added after the limit has been reached are dropped, which bounds the memory.
TEST(ValueTreeTest, PartsAndTextAreBounded) {
  constexpr size_t kMaxNodes = ValueTree::kMaxSize / 16;
  ValueTree tree;
  const size_t array = tree.Open(Kind::kArray);
  for (size_t i = 1; i < kMaxNodes; ++i) tree.Null();
  EXPECT_FALSE(tree.exceeds_limits());
  const size_t left_out = tree.size();
  tree.Close(tree.Open(Kind::kObject));
  tree.Ref(left_out);
  tree.Close(array);
  EXPECT_TRUE(tree.exceeds_limits());
  EXPECT_EQ(tree.size(), kMaxNodes);
  tree.Truncate(0);
  EXPECT_FALSE(tree.exceeds_limits());
  const std::string text(ValueTree::kMaxSize / 2 - 100, 'a');
  for (const bool exceeds : {false, false, true, true}) {
    tree.Bytes(text);
    EXPECT_EQ(tree.exceeds_limits(), exceeds);
  }
  EXPECT_EQ(tree.size(), 2u);
  tree.Text("left out, too");
  EXPECT_EQ(tree.size(), 2u);
}

// Until it is removed, a control character counts as the 6 bytes that it takes in JSON.
TEST(ValueTreeTest, TextIsBoundedByItsJson) {
  ValueTree tree;
  const std::string text(ValueTree::kMaxSize / 9, '\n');
  for (int i = 0; i < 3; ++i) {
    tree.Text(text);
    EXPECT_FALSE(tree.exceeds_limits());
    tree.Truncate(0);
  }
  tree.Text(text);
  tree.Text(text);
  EXPECT_TRUE(tree.exceeds_limits());
}

TEST(ValueTreeTest, PartHasNoIdOfWhatIsOutsideIt) {
  ValueTree tree;
  const size_t outer = tree.Open(Kind::kArray);
  const size_t inner = tree.Open(Kind::kArray);
  tree.Ref(outer);
  tree.Ref(inner);
  tree.Close(inner);
  tree.Close(outer);
  std::string json;
  tree.AppendJson(&json, inner);
  EXPECT_EQ(json, R"({"$id":0,"$value":[{"$ref":null},{"$ref":0}]})");
}

// Neither building nor writing a tree is recursive.
TEST(ValueTreeTest, DepthTakesNoStack) {
  ValueTree tree;
  constexpr int kDepth = 500'000;
  std::vector<size_t> open;
  for (int i = 0; i < kDepth; ++i) open.push_back(tree.Open(Kind::kArray));
  for (; !open.empty(); open.pop_back()) tree.Close(open.back());
  EXPECT_EQ(tree.Json(), std::string(kDepth, '[') + std::string(kDepth, ']'));
}

}  // namespace
}  // namespace sstable::test
