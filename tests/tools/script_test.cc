// Runs the scripts in tests/tools/scripts and compares the output. With --rewrite, puts the actual
// output into the scripts instead; CONTRIBUTING.md has the command.
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/console.h"
#include "tests/support/temp_folder.h"
#include "tests/support/whole_file.h"

namespace sstable::test {
namespace {

namespace fs = std::filesystem;

bool rewrite = false;

std::vector<std::string> Scripts() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator("tests/tools/scripts")) {
    if (file.path().extension() == ".txt") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ScriptTest : public testing::TestWithParam<std::string> {};

TEST_P(ScriptTest, PrintsWhatItShows) {
  static const fs::path runfiles = fs::current_path();
  const fs::path script = runfiles / "tests/tools/scripts" / (GetParam() + ".txt");
  const std::string shown = ReadWholeFile(script.string());
  const TempFolder folder;
  fs::create_directory(folder.File("work"));  // next to "testdata"
  fs::create_directory_symlink(runfiles / "tests/testdata", folder.File("testdata"));
  ::setenv("PATH",
           absl::StrCat((runfiles / "tools").string(), ":", (runfiles / "tests/tools").string(),
                        ":", ::getenv("PATH"))
               .c_str(),
           1);
  ::setenv("BASH_ENV", (runfiles / "tests/tools/scripts/setup.sh").c_str(), 1);
  fs::current_path(folder.File("work"));
  const std::string actual = RunConsole(shown);
  folder.Write("shown", shown);
  folder.Write("printed", actual);
  EXPECT_TRUE(rewrite || actual == shown) << RunShell("diff -u ../shown ../printed").out;
  fs::current_path(runfiles);
  if (rewrite) std::ofstream(script, std::ios::binary) << actual;
}

INSTANTIATE_TEST_SUITE_P(Scripts, ScriptTest, testing::ValuesIn(Scripts()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sstable::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  sstable::test::rewrite = argc == 2 && absl::string_view(argv[1]) == "--rewrite";
  return RUN_ALL_TESTS();
}
