// `sst` on many files, and on folders of tables that are not databases.
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class FilesTest : public SstTest {
 protected:
  // Tables a.ldb, b.ldb and so on; every fourth is damaged.
  std::vector<std::string> BuildTables(int count) {
    std::vector<std::string> tables;
    for (int i = 0; i < count; ++i) {
      const std::string name = std::string(1, static_cast<char>('a' + i)) + ".ldb";
      tables.push_back(Build(name, ManyRecords(20 + i)));
      if (i % 4 == 3) Corrupt(tables.back(), name, 30);
    }
    return tables;
  }

  static std::vector<std::string> Arguments(std::vector<std::string> first,
                                            const std::vector<std::string>& more) {
    first.insert(first.end(), more.begin(), more.end());
    return first;
  }
};

TEST_F(FilesTest, OutputDoesNotDependOnHowManyAreReadAtOnce) {
  const std::vector<std::string> tables = BuildTables(12);
  for (const char* const command : {"check", "stats", "filter", "layout", "dump"}) {
    const Result one = Run(Arguments({command}, tables));
    EXPECT_EQ(one.exit_code, 1);
    for (const char* const jobs : {"2", "7", "256"}) {
      const Result many = Run(Arguments({command, "-j", jobs}, tables));
      EXPECT_EQ(many.exit_code, 1);
      EXPECT_EQ(many.out, one.out) << command;
      EXPECT_EQ(many.err, one.err) << command;
    }
  }
}

TEST_F(FilesTest, AFolderStandsForItsTables) {
  BuildTables(3);
  folder_.Write("notes.txt", "not a table");
  const Result result = Run({"check", Path("")});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, AllOf(StartsWith(Path("a.ldb: ok")), HasSubstr("3 files: 3 ok\n")));
  EXPECT_EQ(Run({"get", Path(""), "key0021"}).out, "value 0021 xxxxxxxxxxxxxxxxxxxx");
  EXPECT_EQ(Run({"dump", "--no-values", "--limit", "1", "--format", "tsv", Path("")}).out,
            "key0000\nkey0000\nkey0000\n");
}

TEST_F(FilesTest, APipeInAFolderIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(Path("pipe.ldb").c_str(), 0600), 0);
  const Result result = Run({"check", Path(".")});
  EXPECT_EQ(result.exit_code, 2) << result;
  EXPECT_THAT(result.err, HasSubstr("pipe.ldb: is not a regular file"));
}

TEST_F(FilesTest, TheSummaryNamesWhatIsNotOk) {
  const std::vector<std::string> tables = BuildTables(5);
  const Result result = Run(Arguments({"check", "-q"}, Arguments(tables, {Path("missing")})));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, Not(HasSubstr("a.ldb")));
  EXPECT_THAT(result.out, HasSubstr("\n6 files: 4 ok, 1 damaged, 1 can't be read\n  damaged: " +
                                    tables[3] + "\n  can't be read: " + Path("missing") + "\n"));
}

TEST_F(FilesTest, TheSummaryIsTheLastLineOfJson) {
  const std::vector<std::string> tables = BuildTables(5);
  const Result result = Run(Arguments({"check", "--format", "json"}, tables));
  const size_t last = result.out.rfind('\n', result.out.size() - 2) + 1;
  const json summary = json::parse(result.out.substr(last))["summary"];
  EXPECT_EQ(summary["files"], 5);
  EXPECT_EQ(summary["ok"], 4);
  EXPECT_EQ(summary["damaged"], 1);
  EXPECT_EQ(summary["failed"], 0);
  EXPECT_EQ(summary["damaged_files"], json({tables[3]}));
}

TEST_F(FilesTest, AListGivesTheReportOfItsFiles) {
  const std::vector<std::string> tables = BuildTables(5);
  std::string lines, nuls;
  for (const std::string& table : tables) {
    lines += table + "\n";
    nuls += table + '\0';
  }
  folder_.Write("list", lines.substr(0, lines.size() - 1));  // no line end after the last
  for (const char* const command : {"check", "stats"}) {
    const Result named = Run(Arguments({command}, tables));
    EXPECT_EQ(named.exit_code, 1);
    for (const Result& listed : {Run({command, "--files-from", Path("list")}),
                                 RunWithInput({command, "-j", "3", "--files-from", "-"}, lines),
                                 RunWithInput({command, "--files0-from", "-"}, nuls)}) {
      EXPECT_EQ(listed.exit_code, 1);
      EXPECT_EQ(listed.out, named.out);
      EXPECT_EQ(listed.err, named.err);
    }
  }
}

TEST_F(FilesTest, AListMayBeLongerThanWhatIsReadAtOnce) {
  const std::string sound = Build("t.ldb", kFruit);
  const std::string damaged = Corrupt(sound, "bad.ldb", 10);
  std::string lines = damaged + "\n";
  for (int i = 0; i < 5000; ++i) lines += sound + "\n";
  folder_.Write("list", lines + damaged + "\n");
  const Result result = Run({"check", "-q", "--files-from", Path("list")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("\n5002 files: 5000 ok, 2 damaged\n  damaged: " + damaged +
                                    "\n  damaged: " + damaged + "\n"));
}

TEST_F(FilesTest, AnEmptyListHasNoFiles) {
  const Result result = RunWithInput({"check", "--files-from", "-"}, "");
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.out, "0 files: 0 ok\n");
}

TEST_F(FilesTest, ANameInAListMayContainALineEnd) {
  const std::string table = Build("two\nlines.ldb", kFruit);
  const Result result = RunWithInput({"check", "--files0-from", "-"}, table);
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, HasSubstr("two\\x0alines.ldb: ok"));
}

TEST_F(FilesTest, AListWithWhatIsNoNameIsRefusedAfterTheFilesBeforeIt) {
  const std::string table = Build("t.ldb", kFruit);
  const struct {
    std::string name, message;
  } cases[] = {
      {"", "name 2 of the list is empty"},
      {"-", "name 2 of the list is \"-\""},
      {std::string("a\0b", 3), "name 2 of the list contains a NUL byte; --files0-from"},
      {std::string(100000, 'x'), "name 2 of the list is longer than a path can be"},
  };
  for (const auto& row : cases) {
    const Result result =
        RunWithInput({"check", "--files-from", "-"}, table + "\n" + row.name + "\n" + table);
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.out, HasSubstr("1 file: 1 ok\n"));
    EXPECT_THAT(result.err, HasSubstr(row.message));
  }
}

TEST_F(FilesTest, AListThatCantBeReadIsNoEmptyList) {
  for (const std::string& path : {Path("missing"), Path("")}) {
    const Result result = Run({"check", "--files-from", path});
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err, HasSubstr(path + ": can't "));
  }
}

TEST_F(FilesTest, AListExcludesOtherNames) {
  EXPECT_THAT(Run({"check", "--files-from", "-", "t.ldb"}).err, HasSubstr("excludes PATH..."));
  EXPECT_THAT(Run({"check", "--files-from", "-", "--files0-from", "-"}).err,
              HasSubstr("exclude each other"));
  EXPECT_THAT(Run({"check"}).err, HasSubstr("check: too few arguments; expected: PATH..."));
}

TEST_F(FilesTest, OneFileHasNoSummary) {
  EXPECT_THAT(Run({"check", Build("t.ldb", kFruit)}).out, Not(HasSubstr("1 file")));
}

TEST_F(FilesTest, FilesOfADatabaseThatAreNoTablesAreKnown) {
  const std::string table = Build("000005.ldb", kVersions, {"--keys", "internal"});
  for (const char* const name : {"CURRENT", "LOCK", "LOG", "LOG.old"}) folder_.Write(name, "");
  const Result all = Run({"stats", table, Path("CURRENT"), Path("LOCK"), Path("LOG")});
  EXPECT_EQ(all.exit_code, 0) << all;
  EXPECT_THAT(all.err, HasSubstr("left out: 3 files of a database"));
  const Result one = Run({"stats", Path("LOCK")});
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_THAT(one.err, HasSubstr("LOCK: is a database's CURRENT, LOCK or LOG, by its name"));
}

TEST_F(FilesTest, APointerOfGitAnnexOrGitLfsIsNamed) {
  folder_.Write("annex.ldb", "/annex/objects/SHA256E-s123--0123456789abcdef.ldb\n");
  folder_.Write("lfs.ldb", "version https://git-lfs.github.com/spec/v1\noid sha256:01\nsize 5\n");
  const Result annex = Run({"check", Path("annex.ldb")});
  EXPECT_EQ(annex.exit_code, 2);
  EXPECT_THAT(annex.err, HasSubstr("annex.ldb: is only a git-annex pointer"));
  const Result lfs = Run({"dump", Path("lfs.ldb")});
  EXPECT_EQ(lfs.exit_code, 2);
  EXPECT_THAT(lfs.err, HasSubstr("lfs.ldb: is only a git-lfs pointer"));
  std::filesystem::create_symlink("../.git/annex/objects/zX/4Q/SHA256E-s9--01.ldb/x",
                                  Path("link.ldb"));
  const Result link = Run({"stats", Path("link.ldb")});
  EXPECT_EQ(link.exit_code, 2);
  EXPECT_THAT(
      link.err,
      HasSubstr("link.ldb: is only a git-annex pointer; `git annex get` fetches its content"));
}

TEST_F(FilesTest, CsvHasAHeaderAndQuotesWhereNeeded) {
  const std::string table = Build("t.ldb", "a,b\tsaid \"no\"\nplain\tx\n");
  EXPECT_EQ(Run({"dump", "--format", "csv", table}).out,
            "key,sequence,type,value\r\n"
            "\"a,b\",,,\"said \"\"no\"\"\"\r\n"
            "plain,,,x\r\n");
  const std::string versions = Build("v.ldb", kVersions, {"--keys", "internal"});
  EXPECT_EQ(Run({"dump", "--format", "csv", "--limit", "2", "--files", versions}).out,
            "key,sequence,type,value,file\r\n"
            "apple,9,deletion,," +
                versions +
                "\r\n"
                "apple,3,value,red," +
                versions + "\r\n");
}

TEST_F(FilesTest, CsvHasNoFormulaIfThatIsAskedFor) {
  const std::string table =
      Build("t.ldb", "+1\t-1\n=cmd|' /C calc'!A0\t@sum, 2\na=b\t'=1\n", {"--sort"});
  EXPECT_EQ(Run({"dump", "--format", "csv", "--csv-guard", table}).out,
            "key,sequence,type,value\r\n"
            "'+1,,,'-1\r\n"
            "'=cmd|' /C calc'!A0,,,\"'@sum, 2\"\r\n"
            "a=b,,,'=1\r\n");
  EXPECT_THAT(Run({"dump", "--format", "csv", table}).out, HasSubstr("\n=cmd|"));
  const Result text = Run({"dump", "--csv-guard", table});
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_THAT(text.err, HasSubstr("--csv-guard is an option of --format csv"));
}

TEST_F(FilesTest, CsvOfSeveralFilesHasOneHeader) {
  const std::string table = Build("t.ldb", "a\t1\n");
  EXPECT_EQ(Run({"dump", "--format", "csv", table, table}).out,
            "key,sequence,type,value\r\na,,,1\r\na,,,1\r\n");
}

TEST_F(FilesTest, NamesOfFilesInJsonDoNotKeepABuildFromReadingIt) {
  const std::string table = Build("t.ldb", kFruit);
  const Result dump = Run({"dump", "--format", "jsonl", "--files", table});
  EXPECT_THAT(dump.out, HasSubstr("\"value\":\"red\",\"file\":\"" + table + "\"}\n"));
  EXPECT_EQ(RunWithInput({"build", "--from", "jsonl", Path("again.ldb")}, dump.out).exit_code, 0);
  EXPECT_EQ(folder_.Read("again.ldb"), folder_.Read("t.ldb"));
}

}  // namespace
}  // namespace sstable::tools
