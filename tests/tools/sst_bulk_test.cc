// `sst split`, `sst build --number` and `sst manifest`: a database that many processes build.
#include "tests/tools/sst_bulk_test.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "leveldb/db.h"
#include "nlohmann/json.hpp"

namespace sstable::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using json = nlohmann::json;

TEST_F(SstBulkTest, ALineSaysWhatTheDatabaseMustKnowOfATable) {
  const json line = json::parse(BuildPart(7, kFruit));
  EXPECT_EQ(line, json::parse(absl::StrCat(
                      R"({"number": 7, "comparator": "leveldb.BytewiseComparator", "entries": 3,
                          "smallest": "apple", "smallest_sequence": 1, "smallest_type": "value",
                          "largest": "kiwi", "largest_sequence": 1, "largest_type": "value",
                          "last_sequence": 1, "size": )",
                      fs::file_size(Path("db/000007.ldb")), "}")));
  EXPECT_EQ(Run({"dump", Path("db/000007.ldb")}).out,
            "apple @1 : value => red\nbanana @1 : value => yellow\nkiwi @1 : value => green\n");
  const json versions = json::parse(BuildPart(8, kVersions, {"--keys", "internal"}));
  EXPECT_EQ(versions["smallest_type"], "deletion");
  EXPECT_EQ(versions["largest_sequence"], 4);
  EXPECT_EQ(versions["last_sequence"], 9);
}

struct RangeCase {
  const char* name;
  std::string range;
  std::vector<std::string> options;
  std::string keys;
};

TEST_F(SstBulkTest, ARangeTakesItsFirstKeyAndNotItsEnd) {
  const RangeCase kCases[] = {
      {"Both", "b:k", {}, "b c "},
      {"NoStart", ":c", {}, "a b "},
      {"NoEnd", "c:", {}, "c k x:y "},
      {"All", ":", {}, "a b c k x:y "},
      {"Colon", "x\\x3ay:", {}, "x:y "},
      {"Hex", "63:", {"--encoding", "hex"}, "c k x:y "},
      {"Reverse", "k:b", {"--sort", "--comparator", "reverse"}, "k c "},
  };
  for (const RangeCase& test : kCases) {
    SCOPED_TRACE(test.name);
    const bool is_hex = !test.options.empty() && test.options[0] == "--encoding";
    std::vector<std::string> arguments = {"build", "--force", Path("out"), "--range", test.range};
    arguments.insert(arguments.end(), test.options.begin(), test.options.end());
    const Result result = RunWithInput(
        arguments, is_hex ? "61\t\n62\t\n63\t\n6b\t\n783a79\t\n" : "a\t\nb\t\nc\t\nk\t\nx:y\t\n");
    ASSERT_EQ(result.exit_code, 0) << result;
    std::string keys;
    for (const auto& line : absl::StrSplit(Run({"dump", "--format", "jsonl", Path("out")}).out,
                                           '\n', absl::SkipEmpty())) {
      absl::StrAppend(&keys, json::parse(line)["key"].get<std::string>(), " ");
    }
    EXPECT_EQ(keys, test.keys);
  }
}

TEST_F(SstBulkTest, RefusesWhatIsNoRangeOrHasNoOrder) {
  const auto error = [this](std::vector<std::string> options) {
    options.insert(options.begin(), {"build", "--force", Path("out")});
    const Result result = RunWithInput(options, kFruit);
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_FALSE(fs::exists(Path("out")));
    return result.err;
  };
  EXPECT_THAT(error({"--range", "a"}), HasSubstr("expected a range LO:HI"));
  EXPECT_THAT(error({"--range", "a:b:c"}), HasSubstr("a colon in a key as \\x3a"));
  EXPECT_THAT(error({"--range", "a:\\xg0"}), HasSubstr("option --range: "));
  EXPECT_THAT(error({"--range", "b:a"}), HasSubstr("option --range: LO is not below HI"));
  EXPECT_THAT(error({"--range", "a:a"}), HasSubstr("option --range: LO is not below HI"));
  EXPECT_THAT(error({"--range", "a:b", "--comparator", "reverse"}), HasSubstr("LO is not below"));
  EXPECT_THAT(error({"--number", "0"}), HasSubstr("--number"));
  EXPECT_THAT(error({"--range", "a:b", "--comparator", "as-is"}),
              HasSubstr("--comparator as-is and --range exclude each other"));
  EXPECT_THAT(error({"--number", "1", "--comparator", "as-is"}),
              HasSubstr("--comparator as-is and --number exclude each other"));
}

TEST_F(SstBulkTest, LevelDbReadsTheTablesAndCompactsNothing) {
  std::string lines = BuildPart(2, "b\t2\nc\t3\n", {"--sort"});
  absl::StrAppend(&lines, BuildPart(3, "", {}), BuildPart(1, "a\t1\n"), "\n");
  EXPECT_FALSE(fs::exists(Path("db/000003.ldb"))) << "it has no entry";
  const Result result = Manifest(lines + lines);
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("db: 2 tables with 3 entries, "), EndsWith(" bytes, on level 6\n")));
  const Result check = Run({"check", Path("db")});
  EXPECT_EQ(check.exit_code, 0) << check;
  EXPECT_EQ(Run({"dump", "--format", "tsv", Path("db")}).out, "a\t1\nb\t2\nc\t3\n");

  leveldb::DB* opened = nullptr;
  ASSERT_TRUE(leveldb::DB::Open({}, Path("db"), &opened).ok());
  std::unique_ptr<leveldb::DB> database(opened);
  std::string value;
  EXPECT_TRUE(database->Get({}, "c", &value).ok());
  EXPECT_EQ(value, "3");
  EXPECT_TRUE(database->GetProperty("leveldb.num-files-at-level6", &value));
  EXPECT_EQ(value, "2");
  ASSERT_TRUE(database->Put({}, "b", "new").ok());
  EXPECT_TRUE(database->Get({}, "b", &value).ok());
  EXPECT_EQ(value, "new");
}

TEST_F(SstBulkTest, TheDatabaseIsTheSameInWhateverOrderTheLinesCome) {
  const std::string a = BuildPart(1, "a\t1\n"), b = BuildPart(2, "b\t2\n");
  ASSERT_EQ(Manifest(a + b).exit_code, 0);
  const auto files = Files("db");
  fs::remove(Path("db/CURRENT"));
  // As left by a killed `sst manifest`, before it wrote CURRENT, and a killed worker.
  folder_.Write("db/000002.ldb.tmp-77-0", "litter");
  folder_.Write("db/MANIFEST-000004.tmp-77-0", "litter");
  const Result again = Manifest(b + a);
  ASSERT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(Files("db"), files);
}

TEST_F(SstBulkTest, OtherOrdersArriveInTheManifest) {
  const std::vector<std::string> reverse = {"--sort", "--comparator", "reverse"};
  const std::string lines = BuildPart(1, "a\t1\n", reverse) + BuildPart(2, "b\t2\nc\t3\n", reverse);
  ASSERT_EQ(Manifest(lines).exit_code, 0);
  EXPECT_THAT(Run({"ls", Path("db")}).out, HasSubstr("ReverseBytewiseComparator"));
  EXPECT_EQ(Run({"dump", "--format", "tsv", Path("db")}).out, "c\t3\nb\t2\na\t1\n");
  EXPECT_EQ(Run({"check", Path("db")}).exit_code, 0);
}

TEST_F(SstBulkTest, KeysThatAreNoTextArrive) {
  const std::string line = BuildPart(1, "\\xff\\x00\t\\xfe\n");
  EXPECT_EQ(json::parse(line)["smallest_hex"], "ff00");
  ASSERT_EQ(Manifest(line).exit_code, 0);
  EXPECT_EQ(Run({"dump", "--format", "tsv", Path("db")}).out, "\\xff\\x00\t\\xfe\n");
}

TEST_F(SstBulkTest, RefusesTablesThatOverlap) {
  const std::string a = BuildPart(1, "a\t1\nc\t3\n"), b = BuildPart(2, "b\t2\n");
  ExpectRefused(Manifest(a + b), 2,
                "000001.ldb and 000002.ldb overlap: the first ends with \"c\" @1, the second "
                "begins with \"b\" @1");
  const std::string c = BuildPart(2, "c\t2\tvalue\t4\n", {"--keys", "internal"});
  ExpectRefused(Manifest(a + c), 2, "overlap");
}

TEST_F(SstBulkTest, RefusesLinesInAnotherOrderThanTheirTables) {
  std::string line = BuildPart(1, kFruit);
  absl::StrReplaceAll({{"leveldb.Bytewise", "rocksdb.ReverseBytewise"}}, &line);
  ExpectRefused(Manifest(line), 2,
                "000001.ldb: its smallest key, \"apple\" @1, is above its largest");
}

TEST_F(SstBulkTest, ATableOfADatabaseIsOnlyReplacedByForce) {
  EXPECT_EQ(Manifest(BuildPart(1, "a\t1\nc\t2\n")).exit_code, 0);
  const auto before = Files("db");
  const std::vector<std::string> again = {"build", Path("db"), "--number", "1"};
  const Result result = RunWithInput(again, "q\tx\n");
  EXPECT_EQ(result.exit_code, 2) << result;
  EXPECT_THAT(result.err, HasSubstr("CURRENT: exists; there is a database in the folder"));
  EXPECT_EQ(Files("db"), before);
  BuildPart(1, "q\tx\n", {"--force"});
  EXPECT_NE(Files("db"), before);
}

TEST_F(SstBulkTest, RefusesASequenceWhoseEndIsMissing) {
  folder_.Write("in.tsv", ManyRecords(2000) + "a\tout of order\n");
  const Result build =
      Run({"build", "--split-size", "4K", "--number", "1", Path("db"), Path("in.tsv")});
  EXPECT_EQ(build.exit_code, 2) << build;
  EXPECT_THAT(build.out, HasSubstr("\"more\":true"));
  ExpectRefused(Manifest(build.out), 2, "is not the last of its `sst build --split-size`");
}

TEST_F(SstBulkTest, RefusesAFolderThatIsADatabase) {
  const std::string line = BuildPart(1, kFruit);
  ASSERT_EQ(Manifest(line).exit_code, 0);
  const auto files = Files("db");
  const Result again = Manifest(line);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("db/CURRENT: exists; there is a database in the folder"));
  EXPECT_EQ(Files("db"), files);
}

TEST_F(SstBulkTest, RefusesFilesThatLevelDbWouldRemoveOrReplay) {
  const std::string line = BuildPart(1, kFruit), other = BuildPart(2, "z\t1\n");
  ExpectRefused(Manifest(line), 2, "db/000002.ldb: no line describes it");
  ExpectRefused(Manifest(line + R"({"number": 2, "comparator": "leveldb.BytewiseComparator",)"
                                R"( "entries": 0})"),
                2, "db/000002.ldb: its line says that there is no such table");
  fs::remove(Path("db/000002.ldb"));
  for (const char* const name : {"000002.log", "000009.log", "MANIFEST-000001", "000001.sst"}) {
    folder_.Write(absl::StrCat("db/", name), "x");
    ExpectRefused(Manifest(line), 2, absl::StrCat("db/", name, ": no line describes it"));
    fs::remove(Path(absl::StrCat("db/", name)));
  }
  for (const char* const name : {"LOCK", "LOG", "notes.txt", "000009.ldb.tmp-1-0"}) {
    folder_.Write(absl::StrCat("db/", name), "x");
  }
  const Result result = Manifest(line);
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_TRUE(fs::exists(Path("db/notes.txt")));
  EXPECT_TRUE(fs::exists(Path("db/000009.ldb.tmp-1-0"))) << "it may be another program's";
}

TEST_F(SstBulkTest, RefusesTablesThatAreNotAsTheirLinesSay) {
  const std::string line = BuildPart(1, kFruit);
  const auto with = [&line](const std::string& field, const json& value) {
    json changed = json::parse(line);
    changed[field] = value;
    return changed.dump();
  };
  ExpectRefused(Manifest(with("smallest", "ant")), 1,
                "first key is \"apple\" @1; its line says \"ant\" @1");
  ExpectRefused(Manifest(with("largest", "kiwis")), 1, "last key is \"kiwi\" @1");
  ExpectRefused(Manifest(with("size", 1000)), 1, "its line says 1000");
  ExpectRefused(Manifest(with("number", 2)), 2, "db/000001.ldb: no line describes it");
  BuildPart(1, "apple\tred\n");
  ExpectRefused(Manifest(line), 1, "its line says");
  fs::remove(Path("db/000001.ldb"));
  ExpectRefused(Manifest(line), 2, "000001.ldb: ");
}

TEST_F(SstBulkTest, NamesTheLineThatIsWrong) {
  const std::string line = BuildPart(1, kFruit);
  const auto with = [&line](const std::string& field, const json& value) {
    json changed = json::parse(line);
    changed[field] = value;
    return absl::StrCat(line, changed.dump());
  };
  ExpectRefused(Manifest(""), 2, "standard input: has no line about a table");
  ExpectRefused(Manifest(line + "[]"), 2, "standard input:2: line is not a JSON object");
  ExpectRefused(Manifest(line + "{"), 2, "standard input:2: line is not a JSON object");
  ExpectRefused(Manifest(with("number", "1")), 2,
                "standard input:2: there is no number \"number\"");
  ExpectRefused(Manifest(with("number", 0)), 2, "number is 0, expected 1 to ");
  ExpectRefused(Manifest(with("entries", 4)), 2, "another line differs for table 1");
  ExpectRefused(Manifest(with("smallest", 1)), 2, "there is no text \"smallest\"");
  ExpectRefused(Manifest(with("smallest_hex", "0g")), 2, "standard input:2: smallest_hex: ");
  ExpectRefused(Manifest(with("smallest_type", "merge")), 2,
                "smallest_type is neither \"value\" nor \"deletion\"");
  ExpectRefused(Manifest(with("last_sequence", 0)), 2, "last_sequence is 0, expected 1 to ");
  ExpectRefused(Manifest(with("comparator", "mine")), 2, "is not one that `sst build` knows");
  ExpectRefused(Manifest(with("comparator", "idb_cmp1")), 2,
                "comparator is idb_cmp1, earlier lines have leveldb.BytewiseComparator");
}

TEST_F(SstBulkTest, SplitPrintsRangesThatHaveEachRecordOnce) {
  folder_.Write("in.tsv", ManyRecords(1000) + "x:y\\x00\\xff\tlast\n");
  const Result split = Run({"split", "--parts", "4", Path("in.tsv")});
  EXPECT_EQ(split.exit_code, 0);
  EXPECT_EQ(split.err, "sst: 4 ranges, from a sample of 1001 of 1001 records\n");
  std::string lines;
  int number = 0;
  for (const auto& range : absl::StrSplit(split.out, '\n', absl::SkipEmpty())) {
    const std::string line =
        BuildPart(++number, "", {"--range", std::string(range), Path("in.tsv")});
    EXPECT_NEAR(json::parse(line)["entries"].get<int>(), 250, 1);
    lines += line;
  }
  EXPECT_EQ(number, 4);
  ASSERT_EQ(Manifest(lines).exit_code, 0);
  EXPECT_EQ(Run({"dump", "--format", "tsv", Path("db")}).out, folder_.Read("in.tsv"));
}

TEST_F(SstBulkTest, SplitEncodesKeysAsBuildTakesThem) {
  const auto split = [](std::vector<std::string> options, const std::string& tsv) {
    options.insert(options.begin(), {"split", "--parts", "2"});
    return RunWithInput(options, tsv).out;
  };
  EXPECT_EQ(split({}, "a\t1\nx:\\xff \t2\n"), ":x\\x3a\\xff \nx\\x3a\\xff :\n");
  EXPECT_EQ(split({"--encoding", "hex"}, "61\t31\n3a62\t32\n"), ":61\n61:\n");
  EXPECT_EQ(split({"--comparator", "reverse"}, "a\t1\nb\t2\n"), ":a\na:\n");
  EXPECT_EQ(split({"--keys", "internal"}, kVersions), ":banana\nbanana:\n");
  EXPECT_EQ(split({}, ""), ":\n") << "one range with every key";
}

TEST_F(SstBulkTest, SplitNeedsTheNumberOfParts) {
  const Result result = RunWithInput({"split"}, kFruit);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("split: --parts N is missing"));
}

}  // namespace
}  // namespace sstable::tools
