// `sst build --split-size`: a sequence of tables.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "leveldb/db.h"
#include "tests/tools/sst_bulk_test.h"

namespace sstable::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class SstBuildSplitTest : public SstBulkTest {
 protected:
  // Random values, so that the size of a block is about that of its records.
  static std::string IncompressibleRecords(int count) {
    std::string tsv;
    uint64_t random = 1;
    for (int i = 0; i < count; ++i) {
      absl::StrAppend(&tsv, "key", 10000 + i, "\t");
      for (int n = 0; n < 50; ++n) {
        random = random * 6364136223846793005 + 1442695040888963407;
        tsv += static_cast<char>('!' + (random >> 33) % 90);
        if (tsv.back() == '\\') tsv += '\\';
      }
      tsv += "\n";
    }
    return tsv;
  }

  Result Split(const std::string& size, const std::string& out, const std::string& tsv,
               std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"build", "--split-size", size, Path(out)});
    return RunWithInput(std::move(options), tsv);
  }

  std::string Dump(const std::string& name) const {
    return Run({"dump", "--format", "tsv", Path(name)}).out;
  }
};

TEST_F(SstBuildSplitTest, ATableEndsWhenItsBlocksHaveTheSize) {
  const std::string tsv = IncompressibleRecords(800);
  const Result result = Split("16K", "out.ldb", tsv, {"--filter", "none"});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, IsEmpty());
  const std::vector<std::string> names = {"out-000001.ldb", "out-000002.ldb", "out-000003.ldb"};
  EXPECT_THAT(folder_.Names(), ElementsAre("db", names[0], names[1], names[2]));
  std::string dump;
  uint64_t size = 0;
  for (const std::string& name : names) {
    dump += Dump(name);
    size += fs::file_size(Path(name));
    if (name == names.back()) break;
    EXPECT_GE(fs::file_size(Path(name)), 16 << 10);
    EXPECT_LT(fs::file_size(Path(name)), (16 << 10) + (4 << 10) + 500) << "a block and an index";
  }
  EXPECT_EQ(dump, tsv);
  EXPECT_EQ(result.err,
            absl::StrCat("sst: ", Path("out-000001.ldb"), " to ", Path("out-000003.ldb"),
                         ": 3 tables, 800 entries, ", size, " bytes, no filter\n"));
}

TEST_F(SstBuildSplitTest, EachTableIsThatOfItsRecordsAlone) {
  const std::string tsv = IncompressibleRecords(800);
  ASSERT_EQ(Split("16K", "out", tsv).exit_code, 0);
  EXPECT_THAT(folder_.Names(), ElementsAre("db", "out-000001", "out-000002", "out-000003"));
  for (const char* const name : {"out-000001", "out-000002", "out-000003"}) {
    EXPECT_EQ(folder_.Read(name), folder_.Read(Build("alone", Dump(name)).substr(Path("").size())));
  }
  fs::create_directory(Path("sorted.d"));
  std::vector<std::string> lines = absl::StrSplit(tsv, '\n', absl::SkipEmpty());
  std::string reversed;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) reversed += *line + "\n";
  ASSERT_EQ(Split("16K", "sorted.d/out", reversed, {"--sort"}).exit_code, 0);
  EXPECT_EQ(Files("sorted.d").size(), 3);
  for (const auto& [name, bytes] : Files("sorted.d")) EXPECT_EQ(bytes, folder_.Read(name)) << name;
}

TEST_F(SstBuildSplitTest, OneTableHasANumberToo) {
  const Result result = Split("64M", "d.1/../out.ldb", kFruit);
  EXPECT_EQ(result.exit_code, 2) << "there is no such folder";
  EXPECT_THAT(Split("64M", "out.ldb", kFruit).err,
              StartsWith("sst: " + Path("out-000001.ldb") + ": 3 entries, "));
  EXPECT_EQ(Dump("out-000001.ldb"), kFruit);
  EXPECT_EQ(Split("64M", "empty.ldb", "").exit_code, 0);
  EXPECT_EQ(Run({"check", Path("empty-000001.ldb")}).exit_code, 0);
}

TEST_F(SstBuildSplitTest, VersionsOfAUserKeyStayTogether) {
  std::string tsv;
  for (const std::string key : {"a", "b", "c"}) {
    for (int sequence = 500; sequence > 0; --sequence) {
      absl::StrAppend(&tsv, key, "\t", sequence, "\tvalue\t", std::string(50, 'x'), "\n");
    }
  }
  ASSERT_EQ(Split("1", "out.ldb", tsv, {"--keys", "internal"}).exit_code, 0);
  EXPECT_THAT(folder_.Names(),
              ElementsAre("db", "out-000001.ldb", "out-000002.ldb", "out-000003.ldb"));
  EXPECT_EQ(Dump("out-000001.ldb") + Dump("out-000002.ldb") + Dump("out-000003.ldb"), tsv);
  EXPECT_THAT(Dump("out-000002.ldb"), StartsWith("b\t500\t"));
}

TEST_F(SstBuildSplitTest, ManifestMakesADatabaseOfThem) {
  const std::string tsv = IncompressibleRecords(600);
  const Result result = Split("16K", "db", tsv, {"--number", "7"});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.err, StartsWith("sst: " + Path("db/000007.ldb") + " to " +
                                     Path("db/000009.ldb") + ": 3 tables, 600 entries, "));
  ASSERT_EQ(Manifest(result.out).exit_code, 0) << result;
  EXPECT_EQ(Run({"check", Path("db")}).exit_code, 0);
  EXPECT_EQ(Dump("db"), tsv);
  leveldb::DB* opened = nullptr;
  ASSERT_TRUE(leveldb::DB::Open({}, Path("db"), &opened).ok());
  const std::unique_ptr<leveldb::DB> database(opened);
  std::string value;
  EXPECT_TRUE(database->Get({}, "key10599", &value).ok());
  EXPECT_TRUE(database->GetProperty("leveldb.num-files-at-level6", &value));
  EXPECT_EQ(value, "3");
}

TEST_F(SstBuildSplitTest, WithoutRecordsADatabaseHasNoTable) {
  const Result result = Split("16K", "db", "", {"--number", "7"});
  EXPECT_EQ(result.out,
            "{\"number\":7,\"comparator\":\"leveldb.BytewiseComparator\",\"entries\":0}\n");
  EXPECT_THAT(result.err, EndsWith("000007.ldb: no record, so no table\n"));
  EXPECT_TRUE(fs::is_empty(Path("db")));
}

TEST_F(SstBuildSplitTest, AnErrorLeavesTheCompleteTables) {
  const Result result = Split("16K", "out", IncompressibleRecords(800) + "a\tlast\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("sst: " + Path("out-000001") + " to " + Path("out-000002") +
                                    ": complete, 2 tables with "));
  EXPECT_THAT(result.err, HasSubstr("; the rest is not written\nsst: standard input:801: key"));
  EXPECT_THAT(folder_.Names(), ElementsAre("db", "out-000001", "out-000002"));
  EXPECT_EQ(Run({"check", Path("out-000001"), Path("out-000002")}).exit_code, 0);
}

TEST_F(SstBuildSplitTest, ASignalLeavesTheCompleteTables) {
  folder_.Write("in.tsv", IncompressibleRecords(4000));
  const std::string in = Path("in"), out = Path("out");
  const Result result = test::RunCommand(
      {"/bin/sh", "-c",
       // More than a pipe holds: it has read some, and prints a line before it has read all.
       "mkfifo '" + in + "' '" + out + "'; tools/sst build --split-size 16K --number 1 '" +
           Path("db") + "' '" + in + "' >'" + out + "' & exec 4<'" + out + "' 3>'" + in +
           "'; cat '" + in + ".tsv' >&3; read line <&4; echo \"$line\"; kill -TERM $!; wait $!; " +
           "code=$?; cat <&4; echo $code"});
  const std::vector<std::string> lines = absl::StrSplit(result.out, '\n', absl::SkipEmpty());
  ASSERT_GE(lines.size(), 2) << result;
  EXPECT_EQ(lines.back(), "143");
  EXPECT_THAT(lines[0], StartsWith("{\"number\":1,"));
  EXPECT_THAT(result.err, HasSubstr(": complete, "));
  EXPECT_EQ(Files("db").size(), lines.size() - 1) << "and no part of a table";
  EXPECT_EQ(Run({"check", Path("db/000001.ldb")}).exit_code, 0);
}

TEST_F(SstBuildSplitTest, NoTableIsReplacedThatMayNotBe) {
  const std::string tsv = IncompressibleRecords(800);
  folder_.Write("out-000002.ldb", "notes");
  const Result result = Split("16K", "out.ldb", tsv);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr(Path("out-000002.ldb") + ": exists; --force replaces it"));
  EXPECT_THAT(result.err, HasSubstr(Path("out-000001.ldb") + ": complete, 1 table with "));
  EXPECT_THAT(folder_.Names(), ElementsAre("db", "out-000001.ldb", "out-000002.ldb"));
  EXPECT_EQ(folder_.Read("out-000002.ldb"), "notes");
  EXPECT_EQ(Split("16K", "out.ldb", tsv, {"--force"}).exit_code, 0);
}

TEST_F(SstBuildSplitTest, ATableOfALongerSequenceIsMentioned) {
  const std::string tsv = IncompressibleRecords(800);
  EXPECT_THAT(Split("16K", "out.ldb", tsv).err, Not(HasSubstr("exists")));
  EXPECT_THAT(Split("64M", "out.ldb", tsv, {"--force"}).err,
              EndsWith(Path("out-000002.ldb") + ": exists, but is not one of these tables\n"));
}

TEST_F(SstBuildSplitTest, RefusesAnOutThatIsNoName) {
  for (const char* out : {"", "/dev/null"}) {
    const Result result = RunWithInput({"build", "--split-size", "1K", out}, kFruit);
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err, HasSubstr("--split-size")) << out;
  }
}

TEST_F(SstBuildSplitTest, RefusesWhatHasNoSequence) {
  EXPECT_THAT(RunWithInput({"build", "--split-size", "1M", "-"}, kFruit).err,
              HasSubstr("--split-size writes several files; OUT can't be -"));
  EXPECT_THAT(Split("1M", "db", kFruit).err, HasSubstr("db: is a folder; --split-size puts"));
  EXPECT_THAT(Split("1M", "new/", kFruit).err, HasSubstr("new/: is a folder"));
  EXPECT_THAT(Split("1M", "out", kFruit, {"--threads", "2"}).err,
              HasSubstr("--split-size and --threads exclude each other"));
  EXPECT_THAT(Split("0", "out", kFruit).err, HasSubstr("--split-size"));
  EXPECT_THAT(Split("1", "db", kFruit, {"--number", "9007199254740992", "--block-size", "1"}).err,
              HasSubstr("there is no number above 9007199254740992 for the next table"));
}

}  // namespace
}  // namespace sstable::tools
