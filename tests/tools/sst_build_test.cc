// `sst build`, and that the output of `sst dump` passes through it unchanged.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(SstTest, BuildSaysWhatItMade) {
  const Result result = RunWithInput({"build", Path("fruit.ldb")}, kFruit);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_EQ(result.err, "sst: " + Path("fruit.ldb") + ": 3 entries, " +
                            std::to_string(folder_.Read("fruit.ldb").size()) +
                            " bytes, filter leveldb.BuiltinBloomFilter2 with 10 bits per key\n");
}

TEST_F(SstTest, BuildSaysWhichFiltersItMade) {
  const auto summary = [this](const std::string& filter, const std::string& table_filter) {
    return RunWithInput({"build", "--force", Path("out"), "--filter", filter, "--table-filter",
                         table_filter},
                        kFruit)
        .err;
  };
  EXPECT_THAT(summary("bloom:1%", "none"),
              EndsWith(" bytes, filter leveldb.BuiltinBloomFilter2 for a rate of 1 %\n"));
  EXPECT_THAT(summary("bloom:10", "fuse8"),
              EndsWith(" with 10 bits per key, table filter BinaryFuse8\n"));
  EXPECT_THAT(summary("none", "blocked:10"), EndsWith(" bytes, table filter BlockedBloom1\n"));
  EXPECT_THAT(summary("none", "none"), EndsWith(" bytes, no filter\n"));
}

TEST_F(SstTest, BuildWritesToStandardOutput) {
  const std::string table = Build("fruit.ldb", kFruit);
  const Result result = RunWithInput({"build", "-"}, kFruit);
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.out, folder_.Read("fruit.ldb"));
  test::CommandOptions options;
  options.input = kFruit;
  options.output = Output::kTerminal;
  const Result on_terminal = Run({"build", "-"}, options);
  EXPECT_EQ(on_terminal.exit_code, 2);
  EXPECT_THAT(on_terminal.out, HasSubstr("a table is not written to a terminal"));
  options.output = Output::kPipeWithoutReader;
  const Result unread = Run({"build", "-"}, options);
  EXPECT_EQ(unread.exit_code, 2) << "half a table is none";
  EXPECT_THAT(unread.err, HasSubstr("its reader went away"));
  options.output = Output::kDevFull;
  const Result full = Run({"build", "-"}, options);
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.err, HasSubstr("No space left on device"));
}

TEST_F(SstTest, BuildRefusesToReplaceItsInput) {
  folder_.Write("data.tsv", kFruit);
  const Result result = RunWithInput({"build", Path("data.tsv")}, "");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("data.tsv: exists; --force replaces it (OUT comes before the "
                                    "INPUTs)"));
  EXPECT_EQ(folder_.Read("data.tsv"), kFruit);
}

TEST_F(SstTest, BuildLeavesNothingBehindWhenItFails) {
  const std::string table = Build("out.ldb", kFruit);
  const std::string bytes = folder_.Read("out.ldb");
  EXPECT_EQ(RunWithInput({"build", "--force", table}, "b\t1\na\t2\n").exit_code, 2);
  EXPECT_EQ(folder_.Read("out.ldb"), bytes);
  EXPECT_THAT(folder_.Names(), ElementsAre("out.ldb"));
  test::CommandOptions closed;
  closed.input_file = "";
  const Result result = Run({"build", "--force", table}, closed);
  EXPECT_EQ(result.exit_code, 2) << "a closed standard input is not an empty one";
  EXPECT_THAT(result.err, HasSubstr("standard input: can't read"));
  EXPECT_EQ(Run({"build", "--force", Path("no/such/folder/out")}).exit_code, 2);
  EXPECT_EQ(Run({"build", "--force", table, Path("missing.tsv")}).exit_code, 2);
  EXPECT_EQ(Run({"build", "--force", table, Path("")}).exit_code, 2);
  EXPECT_THAT(folder_.Names(), ElementsAre("out.ldb"));
}

TEST_F(SstTest, BuildCleansUpWhenItIsInterrupted) {
  const Result result = test::RunCommand(
      {"/bin/sh", "-c",
       // More than a pipe holds: once all is written, it has read some.
       "mkfifo '" + Path("fifo") + "'; tools/sst build '" + Path("out.ldb") + "' '" + Path("fifo") +
           "' & exec 3>'" + Path("fifo") + "'; seq -f 'key%09g\tvalue' 20000 >&3; ls '" + Path("") +
           "' | grep -c tmp; kill -TERM $!; wait $!; echo $?"});
  EXPECT_EQ(result.out, "1\n143\n") << result;
  EXPECT_THAT(folder_.Names(), ElementsAre("fifo"));
}

TEST_F(SstTest, BuildSorts) {
  EXPECT_EQ(Run({"dump", "--format", "tsv",
                 Build("sorted", "kiwi\tgreen\napple\tred\nbanana\tyellow\n", {"--sort"})})
                .out,
            kFruit);
  const std::string reverse = Build("reverse", kFruit, {"--sort", "--comparator", "reverse"});
  EXPECT_EQ(Run({"dump", "--no-values", reverse}).out, "kiwi\nbanana\napple\n");
  const std::string versions =
      Build("versions", "a\t1\tvalue\told\na\t2\tvalue\tnew\n", {"--sort", "--keys", "internal"});
  EXPECT_EQ(Run({"dump", versions}).out, "a @2 : value => new\na @1 : value => old\n");
}

TEST_F(SstTest, BuildSortsMoreThanItsMemoryHolds) {
  const std::string records = ManyRecords(5000);
  const std::string sorted = Build("sorted", records);
  std::vector<std::string> lines = absl::StrSplit(records, '\n', absl::SkipEmpty());
  std::shuffle(lines.begin(), lines.end(), std::mt19937(1));
  folder_.Write("a", absl::StrJoin(absl::MakeConstSpan(lines).first(2000), "\n"));
  folder_.Write("b", absl::StrJoin(absl::MakeConstSpan(lines).subspan(2000), "\n"));
  const Result result =
      Run({"build", "--force", "--sort", "--memory", "64K", Path("out"), Path("a"), Path("b")});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(folder_.Read("out"), folder_.Read("sorted"));
  EXPECT_THAT(folder_.Names(), ElementsAre("a", "b", "out", "sorted"));
}

TEST_F(SstTest, BuildKeepsTheFirstOrTheLastOfEqualKeys) {
  const std::string records = "b\t1\na\t2\nb\t3\na\t4\na\t5\n";
  EXPECT_EQ(Run({"dump", Build("first", records, {"--sort", "--duplicates", "first"})}).out,
            "a => 2\nb => 1\n");
  EXPECT_EQ(Run({"dump", Build("last", records, {"--sort", "--duplicates", "last"})}).out,
            "a => 5\nb => 3\n");
  const Result unsorted =
      RunWithInput({"build", "--force", Path("out"), "--memory", "1M"}, records);
  EXPECT_EQ(unsorted.exit_code, 2);
  EXPECT_THAT(unsorted.err, HasSubstr("--memory is an option of --sort"));
}

TEST_F(SstTest, TheDefaultsAreTenBitsAndSnappy) {
  const std::string records = ManyRecords(500);
  Build("default", records);
  Build("spelled", records,
        {"--filter", "bloom:10", "--compression", "snappy", "--block-size", "4K",
         "--restart-interval", "16", "--filter-base-lg", "11", "--from", "tsv"});
  EXPECT_EQ(folder_.Read("default"), folder_.Read("spelled"));
  Build("other", records, {"--filter", "none", "--compression", "zstd:-5"});
  const std::string stats = Run({"stats", Path("other")}).out;
  EXPECT_THAT(stats, HasSubstr("stored as    zstd:"));
  EXPECT_THAT(stats, HasSubstr("filter       none"));
  Build("old", records, {"--filter", "bloom-old:14"});
  EXPECT_THAT(Run({"filter", Path("old")}).out,
              HasSubstr("policy           leveldb.BuiltinBloomFilter\n"));
}

TEST_F(SstTest, BuildMakesAFilterForARate) {
  const std::string table = Build("rate", ManyRecords(5000), {"--filter", "bloom:3%"});
  EXPECT_THAT(Run({"filter", table}).out, HasSubstr("probes (k)       5"));
  Build("old", ManyRecords(100), {"--filter", "bloom-old:0.5%"});
  EXPECT_THAT(Run({"filter", Path("old")}).out,
              HasSubstr("policy           leveldb.BuiltinBloomFilter\n"));
}

// Minecraft Bedrock's LevelDB reads them, and so does every command.
TEST_F(SstTest, BuildWritesZlibAndDeflateThatAllCommandsRead) {
  const std::string records = ManyRecords(500);
  const std::string plain = Build("plain", records);
  for (const std::string codec : {"zlib", "deflate", "zlib:9", "deflate:1"}) {
    SCOPED_TRACE(codec);
    const std::string name = codec.substr(0, 4) == "zlib" ? "zlib" : "raw deflate";
    const std::string table = Build("table", records, {"--compression", codec});
    EXPECT_EQ(Run({"dump", "--format", "tsv", table}).out, records);
    EXPECT_EQ(Run({"get", table, "key0321"}).out, Run({"get", plain, "key0321"}).out);
    EXPECT_EQ(Run({"get", table, "key0500"}).exit_code, 1);
    const Result check = Run({"check", table});
    EXPECT_EQ(check.exit_code, 0) << check;
    EXPECT_THAT(check.out, HasSubstr("filter contains every key"));
    EXPECT_THAT(Run({"stats", table}).out, HasSubstr("stored as    " + name + ": "));
    const Result layout = Run({"layout", "--verbose", table});
    EXPECT_EQ(layout.exit_code, 0) << layout;
    EXPECT_THAT(layout.out, HasSubstr("data 0     " + name));
    EXPECT_THAT(Run({"filter", table}).out, HasSubstr("false negatives  0 of 500 keys"));
    EXPECT_EQ(Run({"salvage", "--force", table, "-o", Path("saved")}).exit_code, 0);
    EXPECT_EQ(Run({"dump", "--format", "tsv", Path("saved")}).out, records);
  }
}

TEST_F(SstTest, ALevelIsThatOfTheCodec) {
  const auto size_with = [this](const std::string& codec) {
    Build("table", ManyRecords(500), {"--compression", codec});
    return folder_.Read("table").size();
  };
  EXPECT_LT(size_with("zlib:9"), size_with("zlib:1"));
  EXPECT_EQ(size_with("zlib:6"), size_with("zlib"));
  EXPECT_EQ(size_with("deflate:0"), size_with("none"));
  // The last compression given is used, with its own level.
  Build("two", ManyRecords(500), {"--compression", "zlib:9", "--compression", "zstd"});
  EXPECT_EQ(folder_.Read("two").size(), size_with("zstd"));
}

TEST_F(SstTest, ThreadsChangeNothingInTheTable) {
  Build("one", ManyRecords(5000));
  Build("three", ManyRecords(5000), {"--threads", "3"});
  EXPECT_EQ(folder_.Read("three"), folder_.Read("one"));
}

struct BadRecords {
  const char* name;
  std::vector<std::string> options;
  std::string input;
  const char* message;
};

class BadRecordsTest : public SstTest, public testing::WithParamInterface<BadRecords> {};

TEST_P(BadRecordsTest, AreRefusedByNameAndLine) {
  folder_.Write("in", GetParam().input);
  std::vector<std::string> arguments = {"build", "--force", Path("out"), Path("in")};
  arguments.insert(arguments.end(), GetParam().options.begin(), GetParam().options.end());
  const Result result = Run(arguments);
  EXPECT_EQ(result.exit_code, 2);
  std::string expected = GetParam().message;
  for (size_t at; (at = expected.find("IN:")) != std::string::npos;) {
    expected.replace(at, 2, Path("in"));
  }
  EXPECT_THAT(result.err, HasSubstr("sst: " + expected));
  EXPECT_THAT(folder_.Names(), ElementsAre("in"));
}

const std::vector<std::string> kJsonl = {"--from", "jsonl"};
const std::vector<std::string> kInternal = {"--keys", "internal"};
const std::vector<std::string> kInternalJsonl = {"--keys", "internal", "--from", "jsonl"};

INSTANTIATE_TEST_SUITE_P(
    Records, BadRecordsTest,
    testing::ValuesIn<BadRecords>({
        {"NoTab", {}, "a\t1\nb\n", "IN:2: there is no TAB after the key"},
        {"EmptyLine", {}, "a\t1\n\n", "IN:2: there is no TAB"},
        {"ThreeColumns", {}, "a\t1\t2\n", "IN:1: line has 3 columns, expected 2 (key, value)"},
        {"BadEscape", {}, "a\tx\\y\n", "IN:1: value: bad escape at byte 2, \"\\y\""},
        {"BadHex", {"--encoding", "hex"}, "6\t00\n", "IN:1: key: hex has 1 digits"},
        {"Unsorted",
         {},
         "a\t1\nc\t2\nb\t3\n",
         "IN:3: key \"b\" comes before \"c\" of IN:2 by leveldb.BytewiseComparator; --sort sorts "
         "the "
         "records"},
        {"UnsortedInReverse",
         {"--comparator", "reverse"},
         "a\t1\nc\t2\n",
         "IN:2: key \"c\" comes before \"a\" of IN:1 by rocksdb.ReverseBytewiseComparator"},
        {"Duplicate", {}, "a\t1\na\t2\n", "IN:2: key \"a\" was already given, at IN:1"},
        {"DuplicateAmongSorted",
         {"--sort"},
         "a\t1\nb\t\na\t2\n",
         "IN:3: key \"a\" was already given, at IN:1"},
        {"NoSequence", kInternal, "a\t1\n", "IN:1: line has 2 columns, expected 4 (key, sequence"},
        {"SequenceTooHigh", kInternal, "a\t72057594037927936\tvalue\t1\n",
         "IN:1: sequence: expected a whole number from 0 to 72057594037927935"},
        {"UnknownType", kInternal, "a\t1\tmerge\t1\n",
         "IN:1: type is \"merge\", expected \"value\" or \"deletion\""},
        {"ValueMissing", kInternal, "a\t1\tvalue\n", "IN:1: line has 3 columns, expected 4"},
        {"OlderVersionFirst", kInternal, "a\t1\tvalue\t1\na\t2\tvalue\t2\n",
         "IN:2: key \"a\" @2 comes before \"a\" @1 of "},
        {"NotJson", kJsonl, "{\"key\":\"a\" \"value\":1}\n", "IN:1: not JSON: column 18: "},
        {"JsonCutShort", kJsonl, "{\"key\":\"a\",\"value\":\"1\"}\n{\"key\":\n",
         "IN:2: not JSON: "},
        {"JsonArray", kJsonl, "[\"a\",\"1\"]\n", "IN:1: line is a JSON array, expected an object"},
        {"JsonNumber", kJsonl, "{\"key\":7,\"value\":\"1\"}\n",
         "IN:1: key is a JSON number, expected a string"},
        {"JsonNoKey", kJsonl, "{\"value\":\"1\"}\n", "IN:1: there is no key"},
        {"JsonNoValue", kJsonl, "{\"key\":\"1\"}\n", "IN:1: there is no value"},
        {"JsonTwoKeys", kJsonl, "{\"key\":\"1\",\"key_hex\":\"31\",\"value\":\"\"}\n",
         "IN:1: there is more than one key"},
        {"JsonUnknownField", kJsonl, "{\"key\":\"1\",\"val\":\"\"}\n",
         "IN:1: unknown field \"val\""},
        {"JsonBadHex", kJsonl, "{\"key_hex\":\"1\",\"value\":\"\"}\n",
         "IN:1: key_hex: hex has 1 dig"},
        {"JsonBadBase64", kJsonl, "{\"key\":\"1\",\"value_base64\":\"*\"}\n",
         "IN:1: value_base64: "},
        {"JsonBadUtf8", kJsonl, "{\"key\":\"\xff\",\"value\":\"\"}\n", "IN:1: not JSON: column 9"},
        {"JsonSequenceOfPlainKey", kJsonl, "{\"key\":\"1\",\"sequence\":1,\"value\":\"\"}\n",
         "IN:1: there is a sequence, as internal keys have; they need --keys internal"},
        {"JsonNoSequence", kInternalJsonl, "{\"key\":\"1\",\"type\":\"value\",\"value\":\"\"}\n",
         "IN:1: there is no sequence"},
        {"JsonNumberTooLarge", kInternalJsonl,
         "{\"key\":\"1\",\"type\":\"value\",\"sequence\":1e999,\"value\":\"\"}\n",
         "IN:1: not JSON: number overflow"},
        // Printing it once took a call for each bracket, and overflowed the stack.
        {"JsonDeepSequence", kInternalJsonl,
         "{\"key\":\"1\",\"type\":\"value\",\"sequence\":" + std::string(300000, '[') +
             std::string(300000, ']') + ",\"value\":\"\"}\n",
         "IN:1: sequence is a JSON array, expected a number"},
        {"JsonNegativeSequence", kInternalJsonl,
         "{\"key\":\"1\",\"type\":\"value\",\"sequence\":-1,\"value\":\"\"}\n",
         "IN:1: sequence: expect"},
    }),
    [](const auto& info) { return info.param.name; });

struct RoundTrip {
  const char* name;
  std::vector<std::string> dump;
  std::vector<std::string> build;
};

class RoundTripTest : public SstTest, public testing::WithParamInterface<RoundTrip> {
 protected:
  void ExpectSameTable(const std::string& table, std::vector<std::string> options) const {
    std::vector<std::string> dump = {"dump", table};
    dump.insert(dump.end(), GetParam().dump.begin(), GetParam().dump.end());
    const Result dumped = Run(dump);
    ASSERT_EQ(dumped.exit_code, 0) << dumped;
    folder_.Write("records", dumped.out);
    options.insert(options.end(), GetParam().build.begin(), GetParam().build.end());
    options.insert(options.begin(), {"build", "--force", Path("again.ldb"), Path("records")});
    const Result built = Run(options);
    ASSERT_EQ(built.exit_code, 0) << built;
    EXPECT_EQ(folder_.Read("again.ldb"), folder_.Read(table.substr(table.rfind('/') + 1)));
  }

  // Keys and values with all bytes, also beside bytes with a meaning in tsv and JSON.
  static std::string AllBytes(const std::string& middle) {
    std::string tsv;
    for (int i = 0; i < 256; ++i) {
      char key[16];
      std::snprintf(key, sizeof(key), "\\x%02xk", i);
      tsv += key + middle + "\t\\\\" + key + "\\x22\\r\\n\\t" + key + "\n";
    }
    return tsv;
  }
};

TEST_P(RoundTripTest, OfPlainKeysGivesTheSameBytes) {
  ExpectSameTable(Build("in.ldb", AllBytes("")), {});
  ExpectSameTable(Build("in.ldb", ""), {});
}

TEST_P(RoundTripTest, OfInternalKeysGivesTheSameBytes) {
  const std::vector<std::string> internal = {"--keys", "internal"};
  ExpectSameTable(Build("in.ldb", AllBytes("\t77\tvalue"), internal), internal);
  ExpectSameTable(Build("in.ldb", kVersions, internal), internal);
}

INSTANTIATE_TEST_SUITE_P(
    Formats, RoundTripTest,
    testing::ValuesIn<RoundTrip>({
        {"Tsv", {"--format", "tsv"}, {}},
        {"TsvUtf8", {"--format", "tsv", "--encoding", "utf8"}, {}},
        {"TsvHex", {"--format", "tsv", "--encoding", "hex"}, {"--encoding", "hex"}},
        {"TsvBase64", {"--format", "tsv", "--encoding", "base64"}, {"--encoding", "base64"}},
        {"Jsonl", {"--format", "jsonl"}, {"--from", "jsonl"}},
        {"JsonlEscaped", {"--format", "jsonl", "--encoding", "escaped"}, {"--from", "jsonl"}},
        {"JsonlUtf8", {"--format", "jsonl", "--encoding", "utf8"}, {"--from", "jsonl"}},
        {"JsonlHex", {"--format", "jsonl", "--encoding", "hex"}, {"--from", "jsonl"}},
        {"JsonlBase64", {"--format", "jsonl", "--encoding", "base64"}, {"--from", "jsonl"}},
    }),
    [](const auto& info) { return info.param.name; });

TEST_F(SstTest, BuildTakesJsonLinesByTheNameOfTheFile) {
  folder_.Write("in.jsonl", "\n{\"key\":\"a\",\"value\":\"\\u00e9\"}\n  \n");
  EXPECT_EQ(Run({"build", Path("out"), Path("in.jsonl")}).exit_code, 0);
  EXPECT_EQ(Run({"dump", Path("out")}).out, "a => \\xc3\\xa9\n");
}

TEST_F(SstTest, BuildTellsOfCarriageReturns) {
  const Result result = RunWithInput({"build", Path("out")}, "a\t1\r\nb\t2\r\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err,
              HasSubstr("standard input:1: ends in \\r\\n; the \\r is treated as part"));
  EXPECT_EQ(Run({"dump", Path("out")}).out, "a => 1\\r\nb => 2\\r\n");
}

// Editors on Windows write one.
TEST_F(SstTest, AByteOrderMarkIsNotPartOfTheFirstKey) {
  folder_.Write("in.tsv",
                "\xef\xbb\xbf"
                "a\t1\r\n\\xef\\xbb\\xbf"
                "b\t2\r\n");
  folder_.Write("in.jsonl", "\xef\xbb\xbf{\"key\":\"a\",\"value\":\"1\"}\n");
  const Result tsv = Run({"build", Path("tsv"), Path("in.tsv")});
  EXPECT_EQ(tsv.exit_code, 0) << tsv;
  EXPECT_THAT(tsv.err, HasSubstr("in.tsv:1: begins with a byte order mark, which is skipped"));
  EXPECT_EQ(Run({"dump", Path("tsv")}).out, "a => 1\\r\n\\xef\\xbb\\xbfb => 2\\r\n");
  EXPECT_EQ(Run({"build", Path("jsonl"), Path("in.jsonl")}).exit_code, 0);
  EXPECT_EQ(Run({"dump", Path("jsonl")}).out, "a => 1\n");
  EXPECT_EQ(Run({"split", "--parts", "2", Path("in.tsv")}).out,
            ":\\xef\\xbb\\xbfb\n\\xef\\xbb\\xbfb:\n");
}

}  // namespace
}  // namespace sstable::tools
