#include "decode/entry_query.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace sstable::test {
namespace {

using Answer = EntryCondition::Answer;
using Kind = ValueTree::Kind;

// Adds one value of each kind.
void AddValue(ValueTree* tree) {
  ObjectBuilder value(tree);
  value.Add("int", int64_t{-7})
      .Add("max", UINT64_MAX)
      .Add("real", 0.5)
      .Add("whole", 9007199254740994.0);
  value.Add("nan", std::nan("")).Add("infinite", -INFINITY).Add("text", "é").Add("yes", true);
  value.Name("big")->Bigint(true, std::string(8, '\0') + '\1');  // -2^64
  value.Name("huge")->Bigint(false, std::string(2000, '\1'));
  value.Name("number")->Number("12345678901234567890");
  value.Name("beyond")->Number("1e400");
  value.Name("null")->Null();
  value.Name("undefined")->Undefined();
  value.Name("bytes")->Bytes("ab");
  value.Name("date")->Date(1500);
  value.Name("no_date")->Date(std::nan(""));
  value.Name("lone")->Utf16(absl::string_view("\0\xd8", 2), ByteOrder::kLittle);
  value.Name("bad")->Undecoded("tag", "x");
  value.Add("$dollar", "x").Add("", "empty").Add("a b", "space").Add("7", "seven");
  tree->Utf16(absl::string_view("\0\xd8", 2), ByteOrder::kLittle);
  tree->Text("lone name");
  value.Name("list");
  const size_t list = tree->Open(Kind::kArray);
  tree->Text("zero");
  tree->Hole(2);
  tree->Text("three");
  tree->EndElements(list);
  tree->Text("name");
  tree->Text("property");
  tree->Double(9);
  tree->Text("nine");
  tree->Close(list);
  value.Name("map");
  const size_t map = tree->Open(Kind::kMap);
  tree->Text("$key");
  tree->Text("by text");
  tree->Double(5);
  tree->Text("by number");
  tree->Text("6");
  tree->Text("text alike");
  tree->Double(6);
  tree->Text("number alike");
  tree->Close(map);
  value.Name("set");
  const size_t set = tree->Open(Kind::kSet);
  tree->Text("first");
  tree->Close(set);
  value.Name("self")->Ref(0);
}

struct ConditionCase {
  const char* condition;
  Answer answer;
};

TEST(EntryConditionTest, IsJudged) {
  const Answer kNo = Answer::kNo, kYes = Answer::kYes, kUnknown = Answer::kUnknown;
  const std::string many_digits = "value.huge > " + std::string(999, '9');
  const ConditionCase kCases[] = {
      {"key.store = \"a\"", kYes},
      {"key.kind=\"record\"and\nkey.store!=\"b\"", kYes},
      {" key.store < \"b\" ", kYes},
      {"key.store <= \"\"", kNo},
      {"key.store = 1", kNo},
      {"key.store != 1", kYes},
      {"key.store < 1", kNo},
      // Presence.
      {"value", kYes},
      {"value.null", kYes},
      {"value.undefined", kYes},
      {"value.absent", kNo},
      {"not value.absent", kYes},
      {"value.absent.deeper = 1", kNo},
      {"value.absent != 1", kNo},
      {"value.text.deeper", kNo},
      // Numbers.
      {"value.int = -7", kYes},
      {"value.int = -7.0", kYes},
      {"value.int = -7e0", kYes},
      {"value.int < -6.9", kYes},
      {"value.int > -7.1", kYes},
      {"value.int >= -6", kNo},
      {"value.max = 18446744073709551615", kYes},
      {"value.max < 18446744073709551616", kYes},
      {"value.max = 18446744073709551616.0", kNo},
      {"value.big = -18446744073709551616", kYes},
      {"value.big = -18446744073709551616.0", kYes},
      {"value.big < -18446744073709551615", kYes},
      {"value.big < 0", kYes},
      {"value.number = 12345678901234567890", kYes},
      {"value.number < 12345678901234567891", kYes},
      {"value.whole = 9007199254740994", kYes},
      {"value.whole > 9007199254740993", kYes},
      {"value.real = 0.5", kYes},
      {"value.real > 0", kYes},
      {"value.real < 1", kYes},
      {"value.nan = 0", kNo},
      {"value.nan != 0", kYes},
      {"value.nan < 0", kNo},
      {"value.nan < 0.5", kNo},
      {"value.infinite < -18446744073709551616", kYes},
      {"value.infinite < -1e308", kYes},
      {"value.beyond > 1e308", kYes},
      {many_digits.c_str(), kYes},
      // Other kinds.
      {"value.text = \"\\u00e9\"", kYes},
      {"value.text > \"e\"", kYes},
      {"value.yes = true", kYes},
      {"value.yes = false", kNo},
      {"value.yes != false", kYes},
      {"value.yes = 1", kNo},
      {"value.null = null", kYes},
      {"value.null != null", kNo},
      {"value.undefined = null", kNo},
      {"value.bytes != \"ab\"", kYes},
      {"value.lone != \"\"", kYes},
      {"value.date = 1500", kYes},
      {"value.date = \"1970-01-01T00:00:01.500Z\"", kYes},
      {"value.date = \"1970-01-01T00:00:01.5Z\"", kYes},
      {"value.date = \"1970-01-01T01:00:01.5+01:00\"", kYes},
      {"value.date > \"1970-01-01T00:00:01Z\"", kYes},
      {"value.date < \"1970-01-01T00:00:02Z\"", kYes},
      {"value.date > \"1970-01-01\"", kYes},
      {"value.date < \"1970-01-02\"", kYes},
      {"value.date < \"1970-02-30\"", kNo},
      {"value.date != \"then\"", kYes},
      {"value.no_date = null", kNo},
      {"value.no_date < \"z\"", kNo},
      // Steps.
      {"value[\"a b\"] = \"space\"", kYes},
      {"value[\"\"] = \"empty\"", kYes},
      {"value[7] = \"seven\"", kYes},
      {"value.$$dollar", kYes},
      {"value.$dollar", kNo},
      {"value[\"$utf16:d800\"] = \"lone name\"", kYes},
      {"value.list[0] = \"zero\"", kYes},
      {"value.list[1]", kNo},
      {"value.list[3] = \"three\"", kYes},
      {"value.list[4]", kNo},
      {"value.list[18446744073709551615]", kNo},
      {"value.list.name = \"property\"", kYes},
      {"value.list[9] = \"nine\"", kYes},
      {"value.map.$key = \"by text\"", kYes},
      {"value.map[5] = \"by number\"", kYes},
      {"value.map[\"5\"]", kNo},
      {"value.map[6] = \"number alike\"", kYes},
      {"value.map[\"6\"] = \"text alike\"", kYes},
      {"value.date.$date", kNo},
      {"value.big.$bigint", kNo},
      {"value.set[0] = \"first\"", kYes},
      {"value.self.self.self.int = -7", kYes},
      // Values that could not be decoded.
      {"value.bad", kYes},
      {"value.bad.$undecoded = \"tag\"", kYes},
      {"value.bad = 1", kUnknown},
      {"value.bad != 1", kUnknown},
      {"value.bad.user", kUnknown},
      {"not value.bad.user", kUnknown},
      {"value.bad.user and value.absent", kNo},
      {"value.bad.user and value.int", kUnknown},
      {"value.bad.user or value.int", kYes},
      {"value.absent or value.bad.user", kUnknown},
      {"value.absent and value.absent or value.int", kYes},
      {"value.int or value.absent and value.absent", kYes},
  };
  DecodedEntry entry;
  ObjectBuilder(&entry.key).Add("kind", "record").Add("store", "a");
  AddValue(&entry.value);
  for (const ConditionCase& each : kCases) {
    const auto condition = EntryCondition::Parse(each.condition);
    ASSERT_TRUE(condition.ok()) << condition.status();
    EXPECT_EQ(condition->Judge(entry, true), each.answer) << each.condition;
  }
}

TEST(EntryConditionTest, IsUnknownIfNothingWasDecoded) {
  const DecodedEntry entry;
  EXPECT_EQ(EntryCondition::Parse("key.kind")->Judge(entry, false), Answer::kUnknown);
  EXPECT_EQ(EntryCondition::Parse("value.a")->Judge(entry, true), Answer::kUnknown);
  EXPECT_EQ(EntryCondition::Parse("value.a")->Judge(entry, false), Answer::kNo);  // a deletion
}

TEST(EntryConditionTest, RefusesWhatIsNoCondition) {
  const std::string kLong = absl::StrCat("value = ", std::string(1001, '9'));
  const struct {
    std::string text;
    const char* message;  // the message begins with this
  } kCases[] = {
      {"", "character 1: expected a path that begins with key or value, found the end"},
      {"a.b = 1", "character 1: expected a path that begins with key or value, found \"a.b = 1\""},
      {"values = 1", "character 1: expected a path"},
      {"not", "character 4: expected a path"},
      {"value.", "character 7: expected a name, found the end"},
      {"value. a", "character 7: expected a name"},
      {"value.é..a", "character 9: expected a name, found \".a\""},
      {"value.\xff", "character 7: expected a name"},
      {"value[", "character 7: expected an index below 2^64 or a string"},
      {"value[-1]", "character 7: expected an index below 2^64 or a string"},
      {"value[18446744073709551616]", "character 7: expected an index below 2^64"},
      {"value[0", "character 8: expected ]"},
      {"value[\"a]", "character 7: expected a string of JSON"},
      {"value[\"\\ud800\"]", "character 7: expected a string of JSON"},
      {"value = \"\xff\"", "character 9: expected a string of JSON"},
      {"value = \"\\", "character 9: expected a string of JSON"},
      {"value == 1",
       "character 8: expected a number of up to 1000 characters, a string in double "
       "quotes, true, false or null, found \"= 1\""},
      {"value =", "character 8: expected a number"},
      {"value = +1", "character 9: expected a number"},
      {"value = -", "character 9: expected a number"},
      {"value = 01", "character 9: expected a number"},
      {"value = -01", "character 9: expected a number"},
      {"value = 1.", "character 9: expected a number"},
      {"value = .5", "character 9: expected a number"},
      {"value = 1e", "character 9: expected a number"},
      {"value = 1e999", "character 9: expected a number"},
      {"value = 'a'", "character 9: expected a number"},
      {"value = nullx", "character 9: expected a number"},
      {kLong, "character 9: expected a number of up to 1000 characters"},
      {"value 1", "character 7: expected an operator, \"and\", \"or\" or the end, found \"1\""},
      {"value and", "character 10: expected a path"},
      {"value or and", "character 10: expected a path"},
      {"(value)", "character 1: expected a path"},
  };
  for (const auto& each : kCases) {
    const auto condition = EntryCondition::Parse(each.text);
    ASSERT_FALSE(condition.ok()) << each.text;
    EXPECT_EQ(condition.status().message().substr(0, absl::string_view(each.message).size()),
              each.message);
  }
}

TEST(EntryPathTest, ListHasCommas) {
  const auto paths = EntryPath::ParseList(" key.store , value[\"a,b\"],value");
  ASSERT_TRUE(paths.ok()) << paths.status();
  ASSERT_EQ(paths->size(), 3);
  EXPECT_EQ((*paths)[0].text, "key.store");
  EXPECT_EQ((*paths)[1].text, "value[\"a,b\"]");
  EXPECT_EQ((*paths)[2].text, "value");
  EXPECT_EQ(EntryPath::ParseList("key value").status().message(),
            "character 5: expected a comma or the end, found \"value\"");
  EXPECT_FALSE(EntryPath::ParseList("key,").ok());
  EXPECT_EQ(EntryPath::ParseList("value.s, value.s ,key").status().message(),
            "character 10: expected a path that is not in the list yet, found \"value.s ,key\"");
}

TEST(EntryPathTest, MayBeDeep) {
  constexpr int kDepth = 100'000;
  DecodedEntry entry;
  std::string path = "value";
  for (int i = 0; i < kDepth; ++i) {
    entry.value.Open(Kind::kArray);
    path += "[0]";
  }
  entry.value.Bool(true);
  for (size_t i = kDepth; i > 0; --i) entry.value.Close(i - 1);
  EXPECT_EQ(EntryCondition::Parse(path + " = true")->Judge(entry, true), Answer::kYes);
  EXPECT_EQ(EntryCondition::Parse(path + "[0]")->Judge(entry, true), Answer::kNo);
}

}  // namespace
}  // namespace sstable::test
