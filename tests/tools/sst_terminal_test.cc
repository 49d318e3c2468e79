// Runs `sst` on a terminal, and with a pipe that nobody reads.
#include <string>
#include <vector>

#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(SstTest, EndsQuietlyIfNobodyReadsItsOutput) {
  const std::string table = Build("fruit.ldb", kFruit);
  for (const char* const command : {"dump", "get", "layout", "check", "filter", "stats"}) {
    std::vector<std::string> arguments = {command, table};
    if (arguments[0] == "get") arguments.push_back("kiwi");
    test::CommandOptions options;
    options.output = Output::kPipeWithoutReader;
    const Result result = Run(arguments, options);
    EXPECT_EQ(result.exit_code, 0) << command << result;
    EXPECT_THAT(result.err, IsEmpty());
  }
}

TEST_F(SstTest, ColoursOnlyATerminalThatWantsThem) {
  const std::string table = Build("fruit.ldb", kFruit);
  test::CommandOptions options;
  options.output = Output::kTerminal;
  options.environment = {"TERM=xterm", "NO_COLOR="};
  EXPECT_THAT(Run({"dump", table}, options).out, HasSubstr("\x1b[1mapple\x1b[0m"));
  options.environment = {"TERM=xterm", "NO_COLOR=1"};
  EXPECT_EQ(Run({"dump", "--limit", "1", table}, options).out, "apple => red\n");
  options.environment = {"TERM=dumb", "NO_COLOR="};
  EXPECT_EQ(Run({"dump", "--limit", "1", table}, options).out, "apple => red\n");
}

TEST_F(SstTest, GetShowsTextOnATerminal) {
  const std::string table = Build("fruit.ldb", "apple\tr\\xc3\\xa9d\\x1b[31m\n");
  test::CommandOptions options;
  options.output = Output::kTerminal;
  EXPECT_EQ(Run({"get", table, "apple"}, options).out,
            "r\xc3\xa9"
            "d\\x1b[31m\n");
  EXPECT_EQ(Run({"get", "--format", "raw", table, "apple"}, options).out,
            "r\xc3\xa9"
            "d\x1b[31m");
}

TEST_F(SstTest, BuildWritesNoTableToATerminalOrToNobody) {
  test::CommandOptions options;
  options.input = kFruit;
  options.output = Output::kTerminal;
  const Result on_terminal = Run({"build", "-"}, options);
  EXPECT_EQ(on_terminal.exit_code, 2);
  EXPECT_THAT(on_terminal.out, HasSubstr("a table is not written to a terminal"));
  options.output = Output::kPipeWithoutReader;
  const Result unread = Run({"build", "-"}, options);
  EXPECT_EQ(unread.exit_code, 2) << "half a table is none";
  EXPECT_THAT(unread.err, HasSubstr("closed by its reader"));
}

}  // namespace
}  // namespace sstable::tools
