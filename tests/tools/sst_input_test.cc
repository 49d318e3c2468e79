// Files that are not tables, pipes, and closed or full outputs, for all commands that read.
#include <sys/stat.h>

#include <string>
#include <vector>

#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using ::testing::StartsWith;

// Each command that takes one FILE, with its other arguments.
std::vector<std::string> ReadingCommand(const std::string& command, const std::string& file) {
  if (command == "get") return {"get", file, "key"};
  return {command, file};
}

class EachReaderTest : public SstTest, public testing::WithParamInterface<const char*> {
 protected:
  // All messages; `check` prints what is wrong with a file as its result.
  static std::string Told(const Result& result) { return result.out + result.err; }

  Result Read(const std::string& file, const test::CommandOptions& options = {}) const {
    return Run(ReadingCommand(GetParam(), file), options);
  }
};

TEST_P(EachReaderTest, CannotOpenWhatIsNotThere) {
  const Result result = Read(Path("missing.ldb"));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("sst: " + Path("missing.ldb") +
                                     ": can't open: No such file or directory\n"));
}

TEST_P(EachReaderTest, RefusesFoldersWithoutTablesAndDevices) {
  const Result folder = Read(Path(""));
  EXPECT_EQ(folder.exit_code, 2);
  EXPECT_THAT(folder.err,
              HasSubstr(": is not a database: it has no CURRENT, MANIFEST, table or log"));
  const Result device = Read("/dev/null");
  EXPECT_EQ(device.exit_code, 2);
  EXPECT_THAT(device.err, HasSubstr("sst: /dev/null: is not a file or pipe\n"));
}

// Opening a pipe without a writer would wait.
TEST_P(EachReaderTest, RefusesANamedPipe) {
  ASSERT_EQ(::mkfifo(Path("pipe.ldb").c_str(), 0600), 0);
  const Result result = Read(Path("pipe.ldb"));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("pipe.ldb: is a named pipe, which might never be written to"));
}

TEST_P(EachReaderTest, CallsWhatIsNoTableDamaged) {
  folder_.Write("empty", "");
  folder_.Write("picture.png", "\x89PNG\r\n\x1a\n" + std::string(100, '\x01'));
  for (const char* const name : {"empty", "picture.png"}) {
    const Result result = Read(Path(name));
    EXPECT_EQ(result.exit_code, 1) << name;
    EXPECT_THAT(Told(result), HasSubstr(Path(name) + ": not a LevelDB table")) << name;
  }
}

TEST_P(EachReaderTest, NamesFilesOfOtherFormats) {
  folder_.Write("rocksdb.sst", std::string(100, '\0') + "\xf7\xcf\xf4\x85\xb7\x41\xe2\x88");
  folder_.Write("world.mcworld", "PK\x03\x04" + std::string(100, '\x01'));
  for (const auto& [name, text] : {std::pair("rocksdb.sst", "RocksDB's block-based table"),
                                   std::pair("world.mcworld", "is a zip archive")}) {
    const Result result = Read(Path(name));
    EXPECT_EQ(result.exit_code, 2) << name;
    EXPECT_THAT(result.err, HasSubstr(text)) << name;
  }
}

TEST_P(EachReaderTest, EndsWellWhereverATableIsCut) {
  const std::string table = Build("whole.ldb", kFruit);
  const std::string bytes = folder_.Read("whole.ldb");
  for (size_t size = 0; size < bytes.size(); size += 7) {
    folder_.Write("cut.ldb", bytes.substr(0, size));
    const Result result = Read(Path("cut.ldb"));
    EXPECT_EQ(result.exit_code, 1) << size << " bytes\n" << result;
    EXPECT_THAT(Told(result), HasSubstr("cut.ldb: ")) << size;
  }
}

TEST_P(EachReaderTest, EndsWellWithAnyByteChanged) {
  const std::string table = Build("whole.ldb", kFruit);
  const size_t size = folder_.Read("whole.ldb").size();
  for (size_t offset = 0; offset < size; offset += 3) {
    const Result result = Read(Corrupt(table, "changed.ldb", offset));
    EXPECT_THAT(result.exit_code, AnyOf(0, 1, 2)) << "byte " << offset << "\n" << result;
    EXPECT_TRUE(result.exit_code == 0 || !Told(result).empty()) << offset;
  }
}

TEST_P(EachReaderTest, ReadsStandardInputAndPipes) {
  const std::string table = Build("fruit.ldb", kFruit);
  const Result from_file = Read(table);
  test::CommandOptions redirected, piped, closed;
  redirected.input_file = table;
  piped.input = folder_.Read("fruit.ldb");
  for (const auto& options : {redirected, piped}) {
    const Result result = Read("-", options);
    EXPECT_EQ(result.exit_code, from_file.exit_code) << result;
    std::string expected = from_file.out;
    if (const size_t name = expected.find(table); name != std::string::npos) {
      expected.replace(name, table.size(), "standard input");
    }
    EXPECT_EQ(result.out, expected);
  }
  EXPECT_EQ(Read("/dev/stdin", piped).exit_code, from_file.exit_code);
  closed.input_file = "";
  const Result result = Read("-", closed);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("standard input: can't read: Bad file descriptor"));
}

TEST_P(EachReaderTest, NoticesThatItsOutputIsFullOrClosed) {
  const std::string table = Build("fruit.ldb", std::string(kFruit) + "zkey\tvalue\n");
  std::vector<std::string> arguments = ReadingCommand(GetParam(), table);
  if (arguments.back() == "key") arguments.back() = "kiwi";
  test::CommandOptions options;
  options.output = Output::kDevFull;
  const Result full = Run(arguments, options);
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.err,
              HasSubstr("sst: can't write to standard output: No space left on device\n"));
  options.output = Output::kClosed;
  const Result closed = Run(arguments, options);
  EXPECT_EQ(closed.exit_code, 2);
  EXPECT_THAT(closed.err, HasSubstr("can't write to standard output: Bad file descriptor"));
}

TEST_P(EachReaderTest, EndsQuietlyIfNobodyReadsItsOutput) {
  const std::string table = Build("fruit.ldb", kFruit);
  std::vector<std::string> arguments = ReadingCommand(GetParam(), table);
  if (arguments.back() == "key") arguments.back() = "kiwi";
  test::CommandOptions options;
  options.output = Output::kPipeWithoutReader;
  const Result result = Run(arguments, options);
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.err, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Commands, EachReaderTest,
                         testing::Values("dump", "get", "layout", "check", "filter", "stats"),
                         [](const auto& info) { return std::string(info.param); });

TEST_F(SstTest, GoesOnWithTheNextFileAndKeepsTheWorstCode) {
  const std::string table = Build("fruit.ldb", kFruit);
  folder_.Write("empty", "");
  for (const char* const command : {"dump", "check", "stats"}) {
    const Result damaged = Run({command, Path("empty"), table});
    EXPECT_EQ(damaged.exit_code, 1) << damaged;
    EXPECT_THAT(damaged.out, HasSubstr("fruit.ldb"));
    const Result missing = Run({command, Path("missing"), Path("empty"), table});
    EXPECT_EQ(missing.exit_code, 2) << missing;
    EXPECT_THAT(missing.out, HasSubstr("fruit.ldb"));
  }
}

TEST_F(SstTest, NoCommandWaitsForANamedPipe) {
  const std::string table = Build("fruit.ldb", kFruit), pipe = Path("pipe.ldb");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"diff", pipe, table},
                                             {"diff", table, pipe},
                                             {"grep", "x", pipe},
                                             {"filter", "add", pipe, "-o", Path("out.ldb")},
                                             {"filter", "compare", pipe},
                                             {"salvage", pipe, "-o", Path("out.ldb")},
                                             {"report", pipe, "-o", Path("out.html")}}) {
    const Result result = Run(command);
    EXPECT_EQ(result.exit_code, 2) << command[0];
    EXPECT_THAT(result.err, HasSubstr("pipe.ldb: is ")) << command[0];
  }
}

TEST_F(SstTest, ReadsAPipeByItsName) {
  Build("fruit.ldb", kFruit);
  const Result result = test::RunCommand(
      {"/bin/sh", "-c", "cat '" + Path("fruit.ldb") + "' | tools/sst dump --no-values /dev/fd/0"});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.out, "apple\nbanana\nkiwi\n");
}

TEST_F(SstTest, StandardInputInAShellStartsWhereItStands) {
  const std::string table = Build("fruit.ldb", kFruit);
  const Result result = test::RunCommand(
      {"/bin/sh", "-c",
       "{ printf 12345; cat '" + table + "'; } > '" + Path("shifted") +
           "'; { dd bs=5 count=1 of=/dev/null 2>/dev/null; tools/sst dump --limit 1 -; } < '" +
           Path("shifted") + "'"});
  EXPECT_EQ(result.out, "apple => red\n") << result;
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
  EXPECT_THAT(unread.err, HasSubstr("its reader went away"));
}

}  // namespace
}  // namespace sstable::tools
