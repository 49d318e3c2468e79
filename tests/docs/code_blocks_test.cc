// Every code block of the documentation is covered by a test. It is compiled or run or, if it can
// only run on a user's machine, the targets and files in its commands must exist.
//
// Reads the source tree itself, as links_test does.
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "tests/docs/markdown.h"

namespace sstable::test {
namespace {

namespace fs = std::filesystem;

// The test that covers the blocks of a document in a language. Blocks without a language are
// drawings.
const std::map<std::pair<std::string, std::string>, std::string>& Tests() {
  static const auto* const tests = new std::map<std::pair<std::string, std::string>, std::string>{
      {{"CONTRIBUTING.md", "sh"}, "tests/docs/code_blocks_test.cc"},
      {{"README.md", "c++"}, "tests/docs/readme_example_test.cc"},
      {{"README.md", "console"}, "tests/docs/commands_test.cc"},
      {{"README.md", "sh"}, "tests/docs/code_blocks_test.cc"},
      {{"conformance/README.md", ""}, ""},
      {{"conformance/README.md", "python"}, ""},
      {{"docs/building.md", "cmake"}, "tests/examples/embed/build_files_test.sh"},
      {{"docs/building.md", "python"}, "tests/examples/embed/build_files_test.sh"},
      {{"docs/building.md", "sh"}, "tests/cmake/install_test.sh"},
      {{"docs/coming_from_leveldb.md", "c++"}, "tests/docs/coming_from_leveldb_test.cc"},
      {{"docs/database.md", ""}, ""},
      {{"docs/embedding.md", "c++"}, "tests/docs/embedding_test.cc"},
      {{"docs/filter_block.md", ""}, ""},
      {{"docs/filters.md", "console"}, "tests/docs/commands_test.cc"},
      {{"benchmarks/results/filter_lab.md", "sh"}, "tests/docs/code_blocks_test.cc"},
      {{"docs/internals.md", "console"}, "tests/docs/commands_test.cc"},
      {{"docs/my_database_does_not_open.md", "sh"}, "tests/db/folders/database_page_test.py"},
      {{"docs/performance.md", "sh"}, "tests/docs/code_blocks_test.cc"},
      {{"docs/sql.md", "console"}, "tests/sqlite/sql_page_test.py"},
      {{"docs/sst.md", "console"}, "tests/docs/commands_test.cc"},
      {{"docs/sst.md", "sh"}, "tests/docs/commands_test.cc"},
      {{"docs/sst_options.md", "console"}, "tests/docs/commands_test.cc"},
      {{"docs/table_format.md", ""}, ""},
      {{"docs/table_format.md", "hex"}, "tests/docs/table_format_test.cc"},
      {{"examples/bulk_build/README.md", ""}, ""},
      {{"examples/bulk_build/README.md", "console"}, "tests/docs/commands_test.cc"},
      {{"examples/bulk_build/README.md", "sh"}, "tests/docs/code_blocks_test.cc"},
      {{"examples/toy_lsm/README.md", "sh"}, "tests/examples/toy_lsm/readme_test.sh"},
      {{"python/README.md", "python"}, "tests/python/docs_test.py"},
      {{"python/README.md", "sh"}, "tests/python/pip_test.sh"},
      {{"tests/testdata/README.md", "sh"}, "tests/docs/code_blocks_test.cc"},
      {{"web/npm/README.md", "js"}, "tests/npm/package_test.mjs"},
  };
  return *tests;
}

std::string RelativeName(const fs::path& file) { return fs::relative(file, Workspace()).string(); }

TEST(CodeBlocksTest, EachIsLookedAtByATest) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const fs::path& file : MarkdownFiles()) {
    for (const std::string& language : CodeLanguages(ReadDocument(file.string()))) {
      const auto block = std::make_pair(RelativeName(file), language);
      seen.insert(block);
      const auto test = Tests().find(block);
      ASSERT_NE(test, Tests().end()) << block.first << " has code in \"" << language << "\"";
      if (test->second.empty()) continue;
      EXPECT_TRUE(fs::exists(Workspace() / test->second)) << test->second;
      // The test must contain the document's name. This test covers the documents listed above.
      EXPECT_TRUE(
          test->second == "tests/docs/code_blocks_test.cc" ||
          absl::StrContains(ReadDocument((Workspace() / test->second).string()), block.first))
          << test->second << " does not name " << block.first;
    }
  }
  EXPECT_EQ(seen.size(), Tests().size());
}

// Returns true if a label of this workspace exists: a target, "..." or a package.
bool HasTarget(absl::string_view label) {
  if (!absl::ConsumePrefix(&label, "//")) return false;
  if (absl::ConsumeSuffix(&label, "...")) {
    absl::ConsumeSuffix(&label, "/");
    return fs::is_directory(Workspace() / std::string(label));
  }
  const std::vector<std::string> parts = absl::StrSplit(label, ':');
  const fs::path build = Workspace() / parts[0] / "BUILD.bazel";
  const std::string name = parts.size() > 1 ? parts[1] : parts[0].substr(parts[0].rfind('/') + 1);
  return fs::exists(build) &&
         absl::StrContains(ReadDocument(build.string()), absl::StrCat("name = \"", name, "\""));
}

// Commands for developers take an hour, change files, or run these tests, so they are not run here.
// But their targets must exist.
TEST(CodeBlocksTest, CommandsOfDevelopersNameWhatExists) {
  const std::string bazelrc = ReadDocument((Workspace() / ".bazelrc").string());
  size_t commands = 0;
  for (const auto& [block, test] : Tests()) {
    if (block.second != "sh" || test != "tests/docs/code_blocks_test.cc") continue;
    const std::string document = ReadDocument((Workspace() / block.first).string());
    for (const std::string& code : CodeBlocks(document, "sh")) {
      for (absl::string_view line : absl::StrSplit(code, '\n', absl::SkipWhitespace())) {
        SCOPED_TRACE(line);
        ++commands;
        line = line.substr(0, line.find(" #"));
        const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
        if (words[0] == "git" || words[0] == "cmake") continue;
        if (words[0] != "bazel") {
          if (absl::StartsWith(words[0], "bazel-bin/")) {  // a target, by its program's path
            const size_t name = words[0].rfind('/');
            EXPECT_TRUE(HasTarget(absl::StrCat("//", words[0].substr(10, name - 10), ":",
                                               words[0].substr(name + 1))));
            continue;
          }
          const fs::path program = Workspace() / words[0];
          ASSERT_TRUE(fs::exists(program));
          EXPECT_NE(fs::status(program).permissions() & fs::perms::owner_exec, fs::perms::none);
          continue;
        }
        for (absl::string_view word : words) {
          if (absl::ConsumePrefix(&word, "--config=")) {
            EXPECT_TRUE(absl::StrContains(bazelrc, absl::StrCat("build:", word, " "))) << word;
          } else if (absl::StartsWith(word, "//")) {
            EXPECT_TRUE(HasTarget(word)) << word;
          }
        }
      }
    }
  }
  EXPECT_GE(commands, 10);
}

}  // namespace
}  // namespace sstable::test
