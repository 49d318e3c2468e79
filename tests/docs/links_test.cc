// Every relative link in the workspace's Markdown files must lead to a file, and to a heading if it
// names one. Reads the source tree itself, since a link may lead to any file.
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

// Compares the names in docs/pictures/layers.svg, layer by layer.
TEST(LinksTest, TheLayersInThePictureHaveTheFilesNamed) {
  const std::string picture = ReadDocument((Workspace() / "docs/pictures/layers.svg").string());
  std::vector<absl::string_view> texts = absl::StrSplit(picture, "<text class=\"code\"");
  texts.erase(texts.begin());  // text before the first name
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

TEST(LinksTest, ATestIncludesEveryHeaderOfTheApi) {
  std::string tests;
  for (const auto& entry : fs::recursive_directory_iterator(Workspace() / "tests")) {
    const std::string name = entry.path().filename().string();
    if (absl::StrContains(name, "_test.c")) tests += ReadDocument(entry.path().string());
  }
  size_t headers = 0;
  for (const auto& entry : fs::recursive_directory_iterator(Workspace() / "include")) {
    if (entry.path().extension() != ".h") continue;
    ++headers;
    const std::string path = fs::relative(entry.path(), Workspace() / "include").string();
    if (path == "sstable/version.h") continue;  // only numbers, which tests/cmake compares
    EXPECT_TRUE(absl::StrContains(tests, "#include \"" + path + "\"")) << path;
  }
  EXPECT_GE(headers, 20);
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
