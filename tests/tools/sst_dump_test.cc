// `sst dump`.
#include <string>
#include <vector>

#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// The keys that a dump prints, on one line.
std::string Keys(const test::CommandResult& result) {
  std::string keys = result.out;
  for (char& c : keys) c = c == '\n' ? ' ' : c;
  return keys;
}

TEST_F(SstTest, DumpOfPlainKeys) {
  const std::string table = Build("fruit.ldb", "apple\tred\nb\\t\\xff\ta => b\n");
  EXPECT_EQ(Run({"dump", table}).out, "apple => red\nb\\t\\xff => a => b\n");
  EXPECT_EQ(Run({"dump", "--format", "tsv", table}).out, "apple\tred\nb\\t\\xff\ta => b\n");
  EXPECT_EQ(Run({"dump", "--format", "jsonl", table}).out,
            "{\"key\":\"apple\",\"value\":\"red\"}\n"
            "{\"key_hex\":\"6209ff\",\"value\":\"a => b\"}\n");
  EXPECT_EQ(Run({"dump", "--encoding", "hex", "--no-values", table}).out, "6170706c65\n6209ff\n");
  EXPECT_EQ(Run({"dump", "--format", "jsonl", "--no-values", "--limit=1", table}).out,
            "{\"key\":\"apple\"}\n");
}

TEST_F(SstTest, DumpOfInternalKeys) {
  const std::string table = Build("db.ldb", kVersions, {"--keys", "internal"});
  const Result text = Run({"dump", table});
  EXPECT_EQ(text.out,
            "apple @9 : deletion\n"
            "apple @3 : value => red\n"
            "banana @7 : value => brown\n"
            "banana @4 : value => yellow\n");
  EXPECT_THAT(text.err, IsEmpty()) << "what was certain is not worth a message";
  EXPECT_EQ(Run({"dump", "--format", "tsv", table}).out, kVersions);
  EXPECT_EQ(Run({"dump", "--format", "jsonl", "--limit", "2", table}).out,
            "{\"key\":\"apple\",\"sequence\":9,\"type\":\"deletion\"}\n"
            "{\"key\":\"apple\",\"sequence\":3,\"type\":\"value\",\"value\":\"red\"}\n");
  EXPECT_EQ(Run({"dump", "--keys", "plain", "--limit", "1", table}).out,
            "apple\\x00\\t\\x00\\x00\\x00\\x00\\x00\\x00 => \n");
  EXPECT_THAT(Run({"dump", "--verbose", table}).err, HasSubstr("assumed to have internal keys"));
}

TEST_F(SstTest, DumpTellsOfKeysThatAreNotOfTheKindAskedFor) {
  const std::string table = Build("fruit.ldb", kFruit);
  const Result result = Run({"dump", "--keys", "internal", "--limit", "1", table});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "apple (not an internal key) => red\n");
  EXPECT_THAT(result.err, HasSubstr("1 key without a tag of LevelDB (sequence and type)"));
}

struct RangeCase {
  const char* name;
  std::vector<std::string> options;
  const char* keys;
};

// Keys 00, 01, ... 99 in blocks of a few, in plain, internal and reverse tables.
class RangeTest : public SstTest, public testing::WithParamInterface<RangeCase> {
 protected:
  static std::string TwoDigitRecords(const std::string& middle) {
    std::string tsv;
    for (int i = 0; i < 100; ++i) {
      const std::string number = std::to_string(100 + i).substr(1);
      tsv += number + middle + "\t" + std::string(30, 'x') + "\n";
    }
    return tsv;
  }
  static std::string KeysOf(const std::string& table, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"dump", "--no-values", "--format", "tsv", table};
    arguments.insert(arguments.end(), GetParam().options.begin(), GetParam().options.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = Run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result;
    return Keys(result);
  }
};

TEST_P(RangeTest, PrintsTheKeysAskedFor) {
  const std::vector<std::string> small_blocks = {"--block-size", "100", "--compression", "none"};
  EXPECT_EQ(KeysOf(Build("plain", TwoDigitRecords(""), small_blocks)), GetParam().keys);

  std::vector<std::string> options = small_blocks;
  options.insert(options.end(), {"--keys", "internal"});
  std::string keys = KeysOf(Build("internal", TwoDigitRecords("\t5\tvalue"), options));
  for (size_t at; (at = keys.find("\t5\tvalue")) != std::string::npos;) keys.erase(at, 8);
  EXPECT_EQ(keys, GetParam().keys);
}

INSTANTIATE_TEST_SUITE_P(
    Options, RangeTest,
    testing::ValuesIn<RangeCase>({
        {"From", {"--from", "97"}, "97 98 99 "},
        {"FromBetweenKeys", {"--from", "965"}, "97 98 99 "},
        {"FromBehindAll", {"--from", "a"}, ""},
        {"ToIsNotPrinted", {"--to", "03"}, "00 01 02 "},
        {"ToBeforeAll", {"--to", "00"}, ""},
        {"FromTo", {"--from", "30", "--to", "33"}, "30 31 32 "},
        {"EmptyRange", {"--from", "33", "--to", "30"}, ""},
        {"Prefix", {"--prefix", "4", "--limit", "3"}, "40 41 42 "},
        {"PrefixAndFrom", {"--prefix", "4", "--from", "48"}, "48 49 "},
        {"PrefixAndTo", {"--prefix", "4", "--to", "41"}, "40 "},
        {"EmptyPrefix", {"--prefix=", "--limit", "2"}, "00 01 "},
        {"PrefixOfNone", {"--prefix", "x"}, ""},
        {"Limit", {"--limit", "2"}, "00 01 "},
        {"LimitZero", {"--limit", "0"}, ""},
        {"Reverse", {"--reverse", "--limit", "3"}, "99 98 97 "},
        {"ReverseFrom", {"--reverse", "--from", "97"}, "99 98 97 "},
        {"ReverseTo", {"--reverse", "--to", "03"}, "02 01 00 "},
        {"ReversePrefix", {"--reverse", "--prefix", "4", "--limit", "3"}, "49 48 47 "},
        {"ReversePrefixOfLast", {"--reverse", "--prefix", "9", "--limit", "2"}, "99 98 "},
        {"ReverseFromTo", {"--reverse", "--from", "30", "--to", "33"}, "32 31 30 "},
        {"ReverseBehindAll", {"--reverse", "--from", "a"}, ""},
    }),
    [](const auto& info) { return info.param.name; });

TEST_F(SstTest, DumpTakesBoundsInTheEncodingShown) {
  const std::string table = Build("fruit.ldb", kFruit);
  EXPECT_EQ(Keys(Run({"dump", "--no-values", "--encoding", "hex", "--from", "6b", table})),
            "6b697769 ");
  EXPECT_EQ(Keys(Run({"dump", "--no-values", "--from", "\\x6b", table})), "kiwi ");
}

TEST_F(SstTest, DumpOfReverseOrderTakesBoundsInThatOrder) {
  const std::string table = Build("r.ldb", "melon\t0\nkiwi\t1\nbanana\t2\nbacon\t3\napple\t4\n",
                                  {"--comparator", "reverse"});
  EXPECT_EQ(Keys(Run({"dump", "--no-values", "--from", "c", table})), "banana bacon apple ");
  EXPECT_EQ(Keys(Run({"dump", "--no-values", "--to", "bacon", table})), "melon kiwi banana ");
  EXPECT_EQ(Keys(Run({"dump", "--no-values", "--prefix", "ba", table})), "banana bacon ");
  EXPECT_EQ(Keys(Run({"dump", "--no-values", "--prefix", "ba", "--reverse", table})),
            "bacon banana ");
}

TEST_F(SstTest, DumpTellsDamageAndGoesOnBehindIt) {
  const std::string table = Build("many.ldb", ManyRecords(400), {"--compression", "none"});
  const std::string damaged = Corrupt(table, "damaged.ldb", 5000);  // in the second block
  const size_t all = Keys(Run({"dump", "--no-values", table})).size();
  const Result forward = Run({"dump", "--no-values", damaged});
  EXPECT_EQ(forward.exit_code, 1);
  EXPECT_THAT(forward.err, HasSubstr("sst: " + damaged + ": data block at offset 4"));
  EXPECT_THAT(forward.err, HasSubstr("crc32c stored 0x"));
  EXPECT_THAT(forward.out, HasSubstr("key0000\n"));
  EXPECT_THAT(forward.out, HasSubstr("key0399\n"));
  EXPECT_LT(forward.out.size(), all);
  EXPECT_GT(forward.out.size(), all / 2);
  const Result backward = Run({"dump", "--no-values", "--reverse", damaged});
  EXPECT_EQ(backward.exit_code, 1);
  EXPECT_EQ(backward.err, forward.err);
  EXPECT_EQ(backward.out.size(), forward.out.size());
  EXPECT_EQ(backward.out.substr(0, 8), "key0399\n");
  // A range that does not touch the damage is not affected.
  EXPECT_EQ(Run({"dump", "--from", "key0350", damaged}).exit_code, 0);
}

TEST_F(SstTest, DumpOfSeveralFilesNamesThemInText) {
  const std::string a = Build("a", "apple\tred\n"), k = Build("k", "kiwi\tgreen\n");
  EXPECT_EQ(Run({"dump", a, k}).out,
            "==> " + a + " <==\napple => red\n\n==> " + k + " <==\nkiwi => green\n");
  EXPECT_EQ(Run({"dump", "--format", "tsv", a, k}).out, "apple\tred\nkiwi\tgreen\n");
}

TEST_F(SstTest, DumpSaysWhatItAssumedIfThatIsNotCertain) {
  const std::string one =
      Build("one", "k\t1\tvalue\tv\n", {"--keys", "internal", "--filter", "none"});
  EXPECT_THAT(Run({"dump", one}).err, HasSubstr("--keys and --comparator override that"));
  EXPECT_THAT(Run({"dump", "--keys", "internal", one}).err, IsEmpty());
  EXPECT_THAT(Run({"dump", Build("none", "")}).err, IsEmpty()) << "nothing depends on it";
}

TEST_F(SstTest, DumpDoesNotTrustAnOrderThatTheIndexDoesNotHave) {
  // The table's index contradicts the requested order.
  const std::string table = Build("fruit.ldb", ManyRecords(300));
  const Result result =
      Run({"dump", "--comparator", "reverse", "--prefix", "key0123", "--no-values", table});
  EXPECT_EQ(result.out, "key0123\n");
  EXPECT_THAT(result.err, HasSubstr("its index is in another order, so all of it is read"));
  EXPECT_THAT(result.err, Not(HasSubstr("damaged")));
}

}  // namespace
}  // namespace sstable::tools
