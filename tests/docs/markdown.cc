#include "tests/docs/markdown.h"

#include <fstream>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"

namespace sstable::test {

namespace fs = std::filesystem;

namespace {

constexpr absl::string_view kFence = "```";

// Returns the lines outside fenced code blocks.
std::vector<absl::string_view> ProseLines(absl::string_view markdown) {
  std::vector<absl::string_view> lines;
  bool in_code = false;
  for (const absl::string_view line : absl::StrSplit(markdown, '\n')) {
    if (absl::StartsWith(line, kFence)) {
      in_code = !in_code;
    } else if (!in_code) {
      lines.push_back(line);
    }
  }
  return lines;
}

// Returns `text` without its code spans.
std::string WithoutCodeSpans(absl::string_view text) {
  std::string prose;
  bool in_code = false;
  for (const char c : text) {
    if (c == '`') {
      in_code = !in_code;
    } else if (!in_code) {
      prose += c;
    }
  }
  return prose;
}

std::vector<std::string> Cells(absl::string_view line) {
  std::vector<std::string> cells;
  absl::string_view row = absl::StripAsciiWhitespace(line);
  absl::ConsumePrefix(&row, "|");
  absl::ConsumeSuffix(&row, "|");
  for (absl::string_view cell : absl::StrSplit(row, '|')) {
    cell = absl::StripAsciiWhitespace(cell);
    if (cell.size() >= 2 && absl::ConsumePrefix(&cell, "`")) absl::ConsumeSuffix(&cell, "`");
    cells.emplace_back(cell);
  }
  return cells;
}

}  // namespace

fs::path Workspace() { return fs::canonical("README.md").parent_path(); }

std::vector<fs::path> MarkdownFiles() {
  std::vector<fs::path> files;
  for (auto it = fs::recursive_directory_iterator(Workspace());
       it != fs::recursive_directory_iterator(); ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_symlink() || absl::StartsWith(name, ".")) {  // links by Bazel, and Git's folder
      it.disable_recursion_pending();
    } else if (absl::EndsWith(name, ".md")) {
      files.push_back(it->path());
    }
  }
  return files;
}

std::string ReadDocument(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> CodeLanguages(absl::string_view markdown) {
  std::set<std::string> languages;
  bool in_code = false;
  for (absl::string_view line : absl::StrSplit(markdown, '\n')) {
    if (!absl::ConsumePrefix(&line, kFence)) continue;
    in_code = !in_code;
    if (in_code) languages.emplace(line);
  }
  return languages;
}

std::vector<std::string> CodeBlocks(absl::string_view markdown, absl::string_view language) {
  std::vector<std::string> blocks;
  bool in_code = false, wanted = false;
  for (const absl::string_view line : absl::StrSplit(markdown, '\n')) {
    if (absl::StartsWith(line, kFence)) {
      in_code = !in_code;
      wanted = in_code && line.substr(kFence.size()) == language;
      if (wanted) blocks.emplace_back();
    } else if (in_code && wanted) {
      absl::StrAppend(&blocks.back(), line, "\n");
    }
  }
  return blocks;
}

std::vector<std::vector<std::string>> TableRows(absl::string_view markdown,
                                                absl::string_view header) {
  std::vector<std::vector<std::string>> rows;
  int tables = 0;
  bool in_table = false;
  for (const absl::string_view line : ProseLines(markdown)) {
    if (line == header) {
      ++tables;
      in_table = true;
    } else if (!absl::StartsWith(line, "|")) {
      in_table = false;
    } else if (in_table && !absl::StartsWith(line, "|---")) {
      rows.push_back(Cells(line));
    }
  }
  EXPECT_EQ(tables, 1) << header;
  return rows;
}

std::vector<std::string> LinkTargets(absl::string_view markdown) {
  std::vector<std::string> targets;
  const std::string prose = WithoutCodeSpans(absl::StrJoin(ProseLines(markdown), "\n"));
  size_t start = 0;
  while ((start = prose.find("](", start)) != std::string::npos) {
    start += 2;
    const size_t end = prose.find(')', start);
    if (end == std::string::npos) break;
    targets.push_back(prose.substr(start, end - start));
    start = end;
  }
  return targets;
}

std::vector<std::string> Anchors(absl::string_view markdown) {
  std::vector<std::string> anchors;
  for (absl::string_view line : ProseLines(markdown)) {
    if (!absl::StartsWith(line, "#")) continue;
    line.remove_prefix(line.find_first_not_of('#'));
    std::string anchor;
    for (const char c : absl::StripAsciiWhitespace(line)) {
      if (absl::ascii_isalnum(c) || c == '-' || c == '_') anchor += absl::ascii_tolower(c);
      if (c == ' ') anchor += '-';
    }
    anchors.push_back(anchor);
  }
  return anchors;
}

}  // namespace sstable::test
