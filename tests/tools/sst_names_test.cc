// Harmful or mistaken names: of files, on a terminal; of commands that other programs have; of
// arguments in the wrong order.
#include <string>
#include <vector>

#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Colours the text after it, in the two forms that terminals know: ESC [, and its one-character
// form. Then U+202E, which shows the rest from right to left, and U+2028, which ends the line.
constexpr char kName[] =
    "a\x1b[31mred\xc2\x9b"
    "32m\xe2\x80\xae"
    "fdp\xe2\x80\xa8.ldb";
constexpr char kShown[] =
    "a\\x1b[31mred\\xc2\\x9b32m\\xe2\\x80\\xae"
    "fdp\\xe2\\x80\\xa8.ldb";

MATCHER(HasNoControls, "") {
  for (const char* const control :
       {"\x1b", "\xc2\x9b", "\r", "\x7f", "\xe2\x80\xae", "\xe2\x80\xa8"}) {
    if (arg.find(control) != std::string::npos) return false;
  }
  return true;
}

TEST_F(SstTest, TheNameOfAFileReachesNoTerminalAsItIs) {
  const std::string table = Build(kName, ManyRecords(500));
  folder_.Write("x", folder_.Read(kName));
  const std::string damaged = Corrupt(Path("x"), std::string("damaged ") + kName, 100);
  folder_.Write(std::string("no table ") + kName, "no table");
  const std::string no_table = Path(std::string("no table ") + kName);
  const std::string missing = Path(std::string("missing ") + kName);
  for (const std::string& path : {table, damaged, no_table, missing}) {
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"check", path},
             {"stats", path},
             {"layout", path},
             {"layout", "--hex", path},
             {"filter", path},
             {"filter", "--probe", "key0001", path},
             {"dump", "--limit", "1", path, path},
             {"get", "--explain", path, "key0001"},
             {"get", path, "no such key"},
             {"salvage", path, "-o", Path(std::string("out ") + kName), "--force"}}) {
      SCOPED_TRACE(command[0] + " " + path);
      const Result result = Run(command);
      EXPECT_THAT(result.out, HasNoControls());
      EXPECT_THAT(result.err, HasNoControls());
      EXPECT_THAT(result.out + result.err, HasSubstr(kShown));
    }
  }
}

TEST_F(SstTest, JsonHasNamesAndKeysAsTheyAre) {
  const std::string table = Build("a\x1b\xe2\x80\xae.ldb", "k\xe2\x81\xa6\tv\xd8\x9c\n");
  EXPECT_THAT(Run({"check", "--format", "json", table}).out, HasSubstr("/a\\u001b\\u202e.ldb\""));
  EXPECT_EQ(Run({"dump", "--format", "jsonl", table}).out,
            "{\"key\":\"k\\u2066\",\"value\":\"v\\u061c\"}\n");
}

TEST_F(SstTest, ACommandOfAnotherProgramLeadsToOurs) {
  for (const std::vector<std::string>& names :
       std::vector<std::vector<std::string>>{{"verify", "check"},
                                             {"scan", "dump"},
                                             {"cat", "dump"},
                                             {"export", "dump"},
                                             {"properties", "stats"},
                                             {"list", "ls"},
                                             {"repair", "salvage"}}) {
    const Result result = Run({names[0], "file.ldb"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err,
                HasSubstr("\"" + names[0] + "\" is not a command; use `sst " + names[1] + "`"));
  }
  EXPECT_THAT(Run({"chek"}).err, HasSubstr("did you mean 'check'?"));
}

TEST_F(SstTest, KeyAndFileInTheWrongOrderAreNoticed) {
  const std::string table = Build("t.ldb", kFruit);
  const Result swapped = Run({"get", "apple", table});
  EXPECT_EQ(swapped.exit_code, 2);
  EXPECT_THAT(swapped.err, AllOf(HasSubstr("apple: can't open"),
                                 HasSubstr("t.ldb is a file, given where KEY is expected: "
                                           "`sst get PATH KEY`")));
  EXPECT_THAT(Run({"get", Path("missing"), "apple"}).err, Not(HasSubstr("PATH KEY")));
}

}  // namespace
}  // namespace sstable::tools
