// Every relative link in a Markdown file of the workspace leads to a file, and to a heading if it
// names one. The test looks at the source tree itself, since a link may lead to any file of it.
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

// Where the file is that the test was given a link to.
fs::path Workspace() { return fs::canonical("README.md").parent_path(); }

std::vector<fs::path> MarkdownFiles() {
  std::vector<fs::path> files;
  for (auto it = fs::recursive_directory_iterator(Workspace());
       it != fs::recursive_directory_iterator(); ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_symlink() || absl::StartsWith(name, ".")) {  // Bazel's folders and Git's
      it.disable_recursion_pending();
    } else if (absl::EndsWith(name, ".md")) {
      files.push_back(it->path());
    }
  }
  return files;
}

bool LeadsOut(absl::string_view target) {
  return absl::StartsWith(target, "https:") || absl::StartsWith(target, "http:");
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
