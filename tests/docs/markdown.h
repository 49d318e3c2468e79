// As much of Markdown as the tests of the documentation need.
#ifndef SSTABLE_TESTS_DOCS_MARKDOWN_H_
#define SSTABLE_TESTS_DOCS_MARKDOWN_H_

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace sstable::test {

// The folder of this workspace, where the file is that the test was given a link to (README.md).
std::filesystem::path Workspace();

// All files *.md of it.
std::vector<std::filesystem::path> MarkdownFiles();

// The file at `path`, which is relative to the workspace. Empty, and a failure of the test, if it
// can't be read.
std::string ReadDocument(const std::string& path);

// What the fenced code blocks are marked with, each once.
std::set<std::string> CodeLanguages(absl::string_view markdown);

// The contents of the code blocks that are fenced and marked with `language`, in order.
std::vector<std::string> CodeBlocks(absl::string_view markdown, absl::string_view language);

// The rows below the table header `header`, which is given as it stands in the text. A cell comes
// without spaces and backticks around it. None, and a failure of the test, unless exactly one table
// has this header.
std::vector<std::vector<std::string>> TableRows(absl::string_view markdown,
                                                absl::string_view header);

// Where the links lead that stand outside of code.
std::vector<std::string> LinkTargets(absl::string_view markdown);

// What a link can name behind a "#": the headings, as GitHub spells them there.
std::vector<std::string> Anchors(absl::string_view markdown);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_DOCS_MARKDOWN_H_
