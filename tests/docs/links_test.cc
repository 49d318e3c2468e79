// Every relative link in a Markdown file of the workspace leads to a file, and to a heading if it
// names one. The test reads the source tree itself, since a link may lead to any file.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/docs/markdown.h"

namespace sstable::test {
namespace {

namespace fs = std::filesystem;

bool LeadsOut(absl::string_view target) {
  return absl::StartsWith(target, "https:") || absl::StartsWith(target, "http:");
}

// The names in docs/pictures/layers.svg, by layer.
TEST(LinksTest, TheLayersInThePictureHaveTheFilesNamed) {
  const std::string picture = ReadDocument((Workspace() / "docs/pictures/layers.svg").string());
  std::vector<absl::string_view> texts = absl::StrSplit(picture, "<text class=\"code\"");
  texts.erase(texts.begin());  // the text before the first
  size_t names = 0;
  for (const absl::string_view text : texts) {
    const absl::string_view shown = text.substr(0, text.find("</text>"));
    for (const absl::string_view name : absl::StrSplit(shown.substr(shown.find('>') + 1),
                                                       absl::ByAnyChar(", "), absl::SkipEmpty())) {
      ++names;
      bool exists = false;
      for (const char* const layer : {"include/sstable", "include/sstable/experimental", "util",
                                      "keys", "filter", "table/block", "table/index", "table",
                                      "table/inspect", "table/salvage", "db", "db/salvage"}) {
        const std::string file = (Workspace() / layer / std::string(name)).string();
        exists |= fs::exists(file + ".h") || fs::exists(file + ".cc");
      }
      EXPECT_TRUE(exists) << name;
    }
  }
  EXPECT_GE(names, 30);
}

// But those of `sst`, which scripts test. tests/README.md lists the other exceptions. The test of a
// header is NAME_test.* or NAME_*_test.*.
TEST(LinksTest, EveryHeaderHasATestOrIsListed) {
  std::vector<std::string> tests;
  for (const auto& entry : fs::recursive_directory_iterator(Workspace() / "tests")) {
    tests.push_back(entry.path().filename().string());
  }
  const std::string listed = ReadDocument((Workspace() / "tests/README.md").string());
  size_t headers = 0;
  for (const char* const folder :
       {"include", "util", "keys", "filter", "table", "c", "db", "remote"}) {
    for (const auto& entry : fs::recursive_directory_iterator(Workspace() / folder)) {
      if (entry.path().extension() != ".h") continue;
      ++headers;
      const std::string path = fs::relative(entry.path(), Workspace()).string();
      const std::string start = entry.path().stem().string() + "_";
      const bool is_tested = std::any_of(tests.begin(), tests.end(), [&](const std::string& name) {
        return absl::StartsWith(name, start) && absl::StrContains(name, "_test.");
      });
      EXPECT_TRUE(is_tested || absl::StrContains(listed, "`" + path + "`") ||
                  absl::StartsWith(path, "table/salvage/"))
          << path;
    }
  }
  EXPECT_GE(headers, 80);
}

TEST(LinksTest, AllRelativeLinksResolve) {
  const std::vector<fs::path> files = MarkdownFiles();
  EXPECT_GE(files.size(), 6);
  size_t relative_links = 0;
  for (const fs::path& file : files) {
    for (const std::string& target : LinkTargets(ReadDocument(file.string()))) {
      if (LeadsOut(target)) continue;
      SCOPED_TRACE(file.string() + ": " + target);
      ++relative_links;
      const std::vector<std::string> parts = absl::StrSplit(target, absl::MaxSplits('#', 1));
      const fs::path linked = parts[0].empty() ? file : file.parent_path() / parts[0];
      ASSERT_TRUE(fs::exists(linked));
      if (parts.size() == 1) continue;
      const std::vector<std::string> anchors = Anchors(ReadDocument(linked.string()));
      EXPECT_NE(std::find(anchors.begin(), anchors.end(), parts[1]), anchors.end());
    }
  }
  EXPECT_GE(relative_links, 10);
}

}  // namespace
}  // namespace sstable::test
