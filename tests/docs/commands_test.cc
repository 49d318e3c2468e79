// The commands in the documentation must exist and print the output shown.
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/docs/markdown.h"
#include "tests/support/console.h"

namespace sstable::test {
namespace {

namespace fs = std::filesystem;

// Returns `text` without trailing spaces, which are invisible in documents.
std::string WithoutTrailingSpaces(const std::string& text) {
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  for (absl::string_view& line : lines) line = absl::StripTrailingAsciiWhitespace(line);
  return absl::StrJoin(lines, "\n");
}

// Both streams are in `out`, interleaved.
CommandResult RunMerged(const std::string& command) { return RunShell("exec 2>&1; " + command); }

class CommandsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const fs::path runfiles = fs::current_path();
    ::setenv("PATH", absl::StrCat((runfiles / "tools").string(), ":", std::getenv("PATH")).c_str(),
             /*overwrite=*/1);
    for (const char* name :
         {"docs/sst.md", "README.md", "docs/compatibility.md", "docs/design.md",
          "docs/filter_block.md", "docs/filters.md", "docs/internals.md", "docs/sst_options.md",
          "docs/table_format.md", "examples/bulk_build/README.md"}) {
      documents_.push_back(ReadDocument(name));
    }
    runfiles_ = runfiles;
  }

  void SetUp() override { EnterNewFolder(); }

  // The examples name the small tables without a folder.
  static void EnterNewFolder() {
    const fs::path folder = fs::path(testing::TempDir()) / "commands_test";
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (const auto& file : fs::directory_iterator(runfiles_ / "tests/testdata")) {
      const std::string extension = file.path().extension().string();
      if (extension == ".ldb" || extension == ".tsv") fs::copy(file.path(), folder);
    }
    fs::create_directory(folder / "database");
    for (const auto& file : fs::directory_iterator(runfiles_ / "tests/testdata/database")) {
      fs::copy(file.path(), folder / "database");
    }
    fs::current_path(folder);
  }

  static inline std::vector<std::string> documents_;  // docs/sst.md first
  static inline fs::path runfiles_;
};

TEST_F(CommandsTest, EverySubCommandNamedExists) {
  std::set<std::string> names;
  const std::string use = "`sst ";
  for (const std::string& document : documents_) {
    for (size_t at = 0; (at = document.find(use, at)) != std::string::npos;) {
      at += use.size();
      const size_t end = document.find_first_not_of("abcdefghijklmnopqrstuvwxyz", at);
      if (end > at) names.insert(document.substr(at, end - at));
    }
  }
  EXPECT_GE(names.size(), 11);
  for (const std::string& name : names) {
    const CommandResult help = RunMerged(absl::StrCat("sst ", name, " --help"));
    EXPECT_EQ(help.exit_code, 0) << name;
    EXPECT_TRUE(absl::StrContains(help.out, absl::StrCat("sst ", name))) << help.out;
  }
}

TEST_F(CommandsTest, ExamplesOfTheCommandTableRun) {
  const auto rows = TableRows(documents_[0], "| command | does | example |");
  EXPECT_EQ(rows.size(), 19);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 3);
    EXPECT_TRUE(absl::StartsWith(row[2], absl::StrCat(row[0], " "))) << row[2];
    const CommandResult finished = RunMerged(row[2]);
    // *.ldb matches damaged tables, too.
    EXPECT_LE(finished.exit_code, absl::StrContains(row[2], '*') ? 2 : 0) << finished.out;
    EXPECT_FALSE(finished.out.empty()) << row[2];
  }
}

TEST_F(CommandsTest, RescueOfADatabasesTableRuns) {
  fs::copy_file("leveldb-1.23-database.ldb", "000005.ldb");
  const std::vector<std::string> blocks = CodeBlocks(documents_[0], "sh");
  size_t commands = 0;
  for (const std::string& block : blocks) {
    if (!absl::StartsWith(block, "sst check")) continue;
    for (const absl::string_view line : absl::StrSplit(block, '\n', absl::SkipEmpty())) {
      const CommandResult finished = RunMerged(std::string(line));
      EXPECT_EQ(finished.exit_code, 0) << line << "\n" << finished.out;
      ++commands;
    }
  }
  EXPECT_EQ(commands, 3);
  EXPECT_EQ(RunMerged("sst dump 000005.ldb").out, RunMerged("sst dump rescued.ldb").out);
}

TEST_F(CommandsTest, ConsoleExamplesPrintWhatIsShown) {
  size_t commands = 0;
  for (const std::string& document : documents_) {
    EnterNewFolder();
    for (const std::string& block : CodeBlocks(document, "console")) {
      std::string actual;
      for (const ConsoleStep& step : ParseConsole(block)) {
        if (step.command.empty()) continue;
        ++commands;
        absl::StrAppend(&actual, step.lines, RunMerged(step.command).out);
        if (!absl::EndsWith(actual, "\n")) actual += "\n";  // if a value does not end with one
      }
      EXPECT_EQ(WithoutTrailingSpaces(actual), block);
    }
  }
  EXPECT_GE(commands, 20);
}

}  // namespace
}  // namespace sstable::test
