// The texts of `sst` for its users: help, versions, mistakes.
#include <iterator>
#include <string>
#include <vector>

#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const char* const kCommands[] = {"build", "split",  "manifest", "dump",    "grep",   "get",  "diff",
                                 "ls",    "layout", "check",    "salvage", "filter", "stats"};

TEST_F(SstTest, WithoutArgumentsShowsHelpAsAnError) {
  const Result result = Run({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, StartsWith("Usage: sst COMMAND"));
}

TEST_F(SstTest, HelpGoesToStandardOutputAndNamesAllCommands) {
  for (const char* const argument : {"--help", "-h", "help"}) {
    const Result result = Run({argument});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.err, IsEmpty());
    EXPECT_THAT(result.out, HasSubstr("Exit codes:"));
    for (const char* const command : kCommands) {
      EXPECT_THAT(result.out, HasSubstr(std::string("\n  ") + command + " "));
    }
  }
}

TEST_F(SstTest, ShowsItsVersion) {
  const Result result = Run({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, testing::MatchesRegex("sst [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(SstTest, EachCommandHasHelpWithOptionsAndExamples) {
  std::vector<std::string> commands(std::begin(kCommands), std::end(kCommands));
  commands.insert(commands.end(), {"completion", "manual"});
  for (const std::string& command : commands) {
    SCOPED_TRACE(command);
    const Result result = Run({command, "--help"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.err, IsEmpty());
    EXPECT_THAT(result.out,
                AllOf(StartsWith("Usage: sst " + command + " [OPTIONS]"), HasSubstr("Options:"),
                      HasSubstr("-h, --help"), HasSubstr("Examples:\n  ")));
    EXPECT_EQ(Run({"help", command}).out, result.out);
    EXPECT_EQ(Run({command, "file", "-h"}).out, result.out);
    EXPECT_THAT(Run({"--help"}).out, HasSubstr(command));
    // Lines must fit a terminal.
    size_t start = 0;
    for (size_t end; (end = result.out.find('\n', start)) != std::string::npos; start = end + 1) {
      EXPECT_LE(end - start, 82u) << result.out.substr(start, end - start);
    }
  }
}

struct Mistake {
  const char* name;
  std::vector<std::string> arguments;
  const char* message;
};

class MistakeTest : public SstTest, public testing::WithParamInterface<Mistake> {};

TEST_P(MistakeTest, IsToldInWords) {
  const Result result = Run(GetParam().arguments);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, StartsWith("sst: "));
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
  EXPECT_THAT(result.err, Not(HasSubstr("exception")));
}

INSTANTIATE_TEST_SUITE_P(
    Arguments, MistakeTest,
    testing::ValuesIn<Mistake>({
        {"UnknownCommand", {"dmup", "f"}, "sst: \"dmup\" is not a command; did you mean 'dump'?\n"},
        {"FarCommand", {"compact"}, "sst: \"compact\" is not a command; `sst --help` lists them\n"},
        {"HelpOfUnknownCommand", {"help", "chekc"}, "did you mean 'check'?"},
        {"UnknownOption",
         {"dump", "--limt=3", "f"},
         "unknown option --limt; did you mean '--limit'?"},
        {"UnknownShortOption",
         {"dump", "-z", "f"},
         "unknown option -z; write -- before an argument"},
        {"UnknownOptionBeforeMissingFile", {"dump", "--reverze"}, "did you mean '--reverse'?"},
        {"MissingFile", {"dump"}, "dump: too few arguments; expected: PATH..."},
        {"MissingKey", {"get", "f"}, "get: too few arguments; expected: PATH... KEY"},
        {"TooManyFiles", {"diff", "a", "b", "c"}, "diff: too many arguments; expected: A B"},
        {"MissingValue", {"dump", "f", "--limit"}, "option --limit needs a value"},
        {"FlagWithValue", {"dump", "--reverse=yes", "f"}, "option --reverse takes no value"},
        {"NotANumber",
         {"dump", "--limit", "5x", "f"},
         "option --limit: expected a whole number of at least 0, found \"5x\""},
        {"NegativeNumber", {"dump", "--limit", "-5", "f"}, "found \"-5\""},
        {"EmptyNumber", {"dump", "--limit=", "f"}, "found \"\""},
        {"HugeNumber", {"dump", "--limit", "99999999999999999999", "f"}, "option --limit"},
        {"WrongWord",
         {"dump", "--format", "jsonk", "f"},
         "option --format: expected one of text, tsv, jsonl, csv, found \"jsonk\"; did you mean "
         "'jsonl'?"},
        {"BadKeyEscape", {"dump", "--from", "a\\q", "f"}, "option --from: bad escape at byte 2"},
        {"BadKeyHex", {"get", "--encoding", "hex", "f", "0g"}, "KEY: \"g\" at byte 2 is not a hex"},
        {"SnapshotTooHigh",
         {"get", "--snapshot", "72057594037927936", "f", "k"},
         "option --snapshot: expected a whole number from 0 to 72057594037927935"},
        {"BlockSizeZero",
         {"build", "--block-size", "0", "out"},
         "option --block-size: expected a number of bytes from 1 to 2147483647"},
        {"BlockSizeTooLarge", {"build", "--block-size", "2G", "out"}, "found \"2G\""},
        {"BlockSizeUnit", {"build", "--block-size", "4X", "out"}, "found \"4X\""},
        {"RestartInterval",
         {"build", "--restart-interval", "0", "out"},
         "option --restart-interval: expected a whole number from 1 to"},
        {"BaseLg", {"build", "--filter-base-lg", "64", "out"}, "from 0 to 63, found \"64\""},
        {"UnknownFilter",
         {"build", "--filter", "blom:10", "out"},
         "option --filter: expected one of none, bloom:BITS, bloom:RATE%, bloom-old:BITS, "
         "bloom-old:RATE%, found \"blom:10\""},
        {"FilterBits",
         {"build", "--filter", "bloom:0", "out"},
         "option --filter: bits per key: expected a whole number from 1 to 65536, found \"0\""},
        {"UnknownTableFilter",
         {"build", "--table-filter", "bloom:10", "out"},
         "option --table-filter: expected one of none, blocked:BITS, fuse8, fuse16, found "
         "\"bloom:10\""},
        {"TableFilterBits",
         {"build", "--table-filter", "blocked:101", "out"},
         "option --table-filter: bits per key: expected a whole number from 1 to 100"},
        {"FilterRate",
         {"build", "--filter", "bloom:0%", "out"},
         "option --filter: expected a rate from 0.01% to 50%, found \"0%\""},
        {"FilterRateNoNumber", {"build", "--filter", "bloom:nan%", "out"}, "expected a rate from"},
        {"FilterWithoutBits", {"build", "--filter", "bloom", "out"}, "expected one of none, bloom"},
        {"UnknownCodec",
         {"build", "--compression", "gzip", "out"},
         "option --compression: expected one of none, snappy, zstd[:LEVEL], zlib[:LEVEL], "
         "deflate[:LEVEL], found \"gzip\""},
        {"CodecWithoutLevels",
         {"build", "--compression", "snappy:1", "out"},
         "option --compression: expected one of none, snappy, zstd[:LEVEL]"},
        {"ZlibLevel",
         {"build", "--compression", "zlib:10", "out"},
         "expected a zlib level from 0 to 9, found \"10\""},
        {"NegativeDeflateLevel",
         {"build", "--compression", "deflate:-1", "out"},
         "expected a deflate level from 0 to 9, found \"-1\""},
        {"EmptyDeflateLevel",
         {"build", "--compression", "deflate:", "out"},
         "expected a deflate level from 0 to 9, found \"\""},
        {"ZstdLevel",
         {"build", "--compression", "zstd:23", "out"},
         "expected a zstd level from -5 to 22, found \"23\""},
        {"NegativeZstdLevel", {"build", "--compression", "zstd:-6", "out"}, "found \"-6\""},
        {"MissingShell",
         {"completion"},
         "completion: too few arguments; expected: bash|zsh|fish\n"},
        {"UnknownShell",
         {"completion", "bsh"},
         "expected one of bash, zsh, fish, found \"bsh\"; did you mean 'bash'?"},
        {"SeveralShells", {"completion", "bash", "zsh"}, "completion: too many arguments"},
        {"ManualOfACommand", {"manual", "build"}, "manual: too many arguments; expected: none\n"},
        {"OptionOfManual", {"manual", "-q"}, "manual: unknown option -q"},
        {"JsonLayoutWithBytes",
         {"layout", "--format", "json", "--hex", "f"},
         "--format json has no"},
    }),
    [](const auto& info) { return info.param.name; });

TEST_F(SstTest, ControlCharactersOfArgumentsDoNotReachTheTerminal) {
  const Result result = Run({"dump", "no\x1b[31m\nfile"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("sst: no\\x1b[31m\\x0afile: can't open"));
}

}  // namespace
}  // namespace sstable::tools
