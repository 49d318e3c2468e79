// `sst build` of several inputs that are each sorted.
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::HasSubstr;

class SstBuildMergeTest : public SstTest {
 protected:
  // Builds `out` from inputs in tsv, which it names 0.tsv, 1.tsv and so on.
  Result Merge(const std::vector<std::string>& inputs,
               const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"build", "--force", Path("out")};
    for (size_t i = 0; i < inputs.size(); ++i) {
      folder_.Write(Name(i), inputs[i]);
      arguments.push_back(Path(Name(i)));
    }
    arguments.insert(arguments.end(), options.begin(), options.end());
    return Run(arguments);
  }

  static std::string Name(size_t input) { return absl::StrCat(input, ".tsv"); }
  std::string Dump() const { return Run({"dump", "--format", "tsv", Path("out")}).out; }

  void ExpectRefused(const Result& result, const std::string& message) const {
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err, HasSubstr("sst: " + message));
    for (const std::string& name : folder_.Names()) EXPECT_THAT(name, HasSubstr(".tsv"));
  }
};

TEST_F(SstBuildMergeTest, MergesInputsThatAreSorted) {
  folder_.Write("a.tsv", "apple\tred\nkiwi\tgreen");  // no line end
  folder_.Write("empty.tsv", "");
  const Result result = RunWithInput(
      {"build", "--force", Path("out"), Path("a.tsv"), "-", Path("empty.tsv")}, "banana\tyellow\n");
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(Dump(), kFruit);
}

TEST_F(SstBuildMergeTest, InputsHaveOneFormat) {
  folder_.Write("a.tsv", "apple\tred\n");
  folder_.Write("b.jsonl", "{\"key\":\"zz\",\t\"value\":\"1\"}\n");
  const std::vector<std::string> arguments = {"build", "--force", Path("out"), Path("a.tsv"),
                                              Path("b.jsonl")};
  const Result mixed = Run(arguments);
  EXPECT_EQ(mixed.exit_code, 2) << mixed;
  EXPECT_THAT(mixed.err, HasSubstr("a.tsv is not named *.jsonl, and "));
  EXPECT_THAT(mixed.err, HasSubstr("--from"));

  const Result piped = RunWithInput({"build", "--force", Path("out"), "-", Path("b.jsonl")},
                                    R"({"key": "a", "value": "2"})");
  EXPECT_EQ(piped.exit_code, 0) << piped;
  EXPECT_EQ(Dump(), "a\t2\nzz\t1\n");
}

TEST_F(SstBuildMergeTest, OneInputMayFollowTheOther) {
  EXPECT_EQ(Merge({"apple\tred\n", "banana\tyellow\n", "kiwi\tgreen\n"}).exit_code, 0);
  EXPECT_EQ(Dump(), kFruit);
}

TEST_F(SstBuildMergeTest, GivesTheTableOfAllRecordsSorted) {
  const std::string records = ManyRecords(5000);
  std::vector<std::string> inputs(7);
  std::mt19937 random(1);
  for (const auto& line : absl::StrSplit(records, '\n', absl::SkipEmpty())) {
    absl::StrAppend(&inputs[random() % inputs.size()], line, "\n");
  }
  ASSERT_EQ(Merge(inputs).exit_code, 0);
  EXPECT_EQ(folder_.Read("out"), folder_.Read(Build("one", records).substr(Path("").size())));
  ASSERT_EQ(Merge(inputs, {"--split-size", "16K"}).exit_code, 0);
  Build("sequence", records, {"--split-size", "16K"});
  EXPECT_EQ(folder_.Read("out-000002"), folder_.Read("sequence-000002"));
}

TEST_F(SstBuildMergeTest, MergesByTheOrderOfTheTable) {
  EXPECT_EQ(Merge({"kiwi\t1\napple\t3\n", "banana\t2\n"}, {"--comparator", "reverse"}).exit_code,
            0);
  EXPECT_EQ(Dump(), "kiwi\t1\nbanana\t2\napple\t3\n");
  EXPECT_EQ(Merge({"a\t3\tvalue\tnew\nb\t1\tvalue\t\n", "a\t7\tdeletion\t\na\t2\tvalue\told\n"},
                  {"--keys", "internal"})
                .exit_code,
            0);
  EXPECT_EQ(Dump(), "a\t7\tdeletion\t\na\t3\tvalue\tnew\na\t2\tvalue\told\nb\t1\tvalue\t\n");
}

TEST_F(SstBuildMergeTest, AnInputOutOfOrderIsNamedWithTheLine) {
  ExpectRefused(Merge({"a\t\nx\t\n", "b\t\nd\t\nc\t\n", "e\t\n"}),
                absl::StrCat(Path("1.tsv"), ":3: key \"c\" comes before \"d\" of ", Path("1.tsv"),
                             ":2 by leveldb.BytewiseComparator; --sort sorts the records"));
  ExpectRefused(Merge({"a\t\n", "b\n"}), Path("1.tsv") + ":1: there is no TAB");
  ExpectRefused(Run({"build", "--force", Path("out"), Path("0.tsv"), Path("missing.tsv")}),
                Path("missing.tsv") + ": can't open");
}

TEST_F(SstBuildMergeTest, AKeyThatIsGivenTwiceIsNamedWithBothPlaces) {
  ExpectRefused(
      Merge({"a\t\nb\t\n", "\t\nb\t\n"}),
      absl::StrCat(Path("1.tsv"), ":2: key \"b\" was already given, at ", Path("0.tsv"), ":2"));
  ExpectRefused(
      Merge({"b\t\n", "a\t\na\t\n"}),
      absl::StrCat(Path("1.tsv"), ":2: key \"a\" was already given, at ", Path("1.tsv"), ":1"));
}

TEST_F(SstBuildMergeTest, KeepsTheFirstOrTheLastOfEqualKeys) {
  const std::vector<std::string> inputs = {"a\t1\na\t2\nb\t3\n", "a\t4\nb\t5\nb\t6\nc\t7\nc\t8\n"};
  EXPECT_EQ(Merge(inputs, {"--duplicates", "first"}).exit_code, 0);
  EXPECT_EQ(Dump(), "a\t1\nb\t3\nc\t7\n");
  EXPECT_EQ(Merge(inputs, {"--duplicates", "last"}).exit_code, 0);
  EXPECT_EQ(Dump(), "a\t4\nb\t6\nc\t8\n");
  EXPECT_EQ(Merge({inputs[1]}, {"--duplicates", "last"}).exit_code, 0) << "of one input, too";
  EXPECT_EQ(Dump(), "a\t4\nb\t6\nc\t8\n");
  EXPECT_THAT(Merge({inputs[0] + "a\t9\n"}, {"--duplicates", "last"}).err,
              HasSubstr("0.tsv:4: key \"a\" comes before \"b\" of"));
}

TEST_F(SstBuildMergeTest, RangesAndInternalKeysAreAsOfOneInput) {
  std::filesystem::create_directory(Path("db"));
  folder_.Write("0.tsv", "a\t1\nc\t3\n");
  folder_.Write("1.tsv", "z\t\nb\t2\nd\t4\n");
  EXPECT_EQ(
      Run({"build", Path("db"), Path("0.tsv"), Path("1.tsv"), "--number", "1", "--range", "b:d"})
          .exit_code,
      0)
      << "z is not in the range, so its place does not matter";
  EXPECT_EQ(Run({"dump", Path("db/000001.ldb")}).out, "b @1 : value => 2\nc @1 : value => 3\n");
}

TEST_F(SstBuildMergeTest, AnOrderWithoutANameIsThatOfTheInputsInTurn) {
  EXPECT_EQ(Merge({"z\t1\na\t2\n", "k\t3\n"}, {"--comparator", "as-is"}).exit_code, 0);
  EXPECT_EQ(Dump(), "z\t1\na\t2\nk\t3\n");
  const Result result = Merge({"a\t\n"}, {"--comparator", "as-is", "--duplicates", "first"});
  EXPECT_THAT(result.err, HasSubstr("--comparator as-is and --duplicates exclude each other"));
}

TEST_F(SstBuildMergeTest, StandardInputIsOneInput) {
  ExpectRefused(RunWithInput({"build", "--force", Path("out"), "-", "-"}, kFruit),
                "standard input (-) is among the INPUTs twice");
}

// It waits for the second input to be opened, and does not then wait for the third.
TEST_F(SstBuildMergeTest, ASignalEndsItWhileItWaitsForAnInput) {
  const std::string p = Path("p.tsv"), q = Path("q.tsv"), r = Path("r.tsv");
  const Result result = test::RunCommand(
      {"/bin/sh", "-c",
       // A little more than a pipe holds: once all is written, it has read some, and needs no more.
       "mkfifo '" + p + "' '" + q + "' '" + r + "'; tools/sst build '" + Path("out") + "' '" + p +
           "' '" + q + "' '" + r + "' & exec 3>'" + p +
           "'; seq -f 'key%09g\tvalue' 3550 >&3; kill -TERM $!; wait $!; echo $?"});
  EXPECT_EQ(result.out, "143\n") << result;
  for (const std::string& name : folder_.Names()) EXPECT_THAT(name, HasSubstr(".tsv"));
}

TEST_F(SstBuildMergeTest, WarningsAreThoseOfEachInput) {
  const Result result = Merge({"a\t1\r\n", "b\t2\r\nc\t3\r\n"});
  EXPECT_THAT(result.err, HasSubstr(Path("0.tsv") + ":1: ends in \\r\\n"));
  EXPECT_THAT(result.err, HasSubstr(Path("1.tsv") + ":1: ends in \\r\\n"));
}

}  // namespace
}  // namespace sstable::tools
