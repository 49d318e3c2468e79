// The parts of Markdown that the tests of the documentation need.
#ifndef SSTABLE_TESTS_DOCS_MARKDOWN_H_
#define SSTABLE_TESTS_DOCS_MARKDOWN_H_

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace sstable::test {

// The folder of this workspace: the one with the file to which the test was given a link
// (README.md).
std::filesystem::path Workspace();

// All Markdown files of the workspace.
std::vector<std::filesystem::path> MarkdownFiles();

// Reads the file at `path`, relative to the workspace. If it can't be read, returns an empty string
// and fails the test.
std::string ReadDocument(const std::string& path);

// The languages with which fenced code blocks are marked.
std::set<std::string> CodeLanguages(absl::string_view markdown);

// The contents of the fenced code blocks marked with `language`, in order.
std::vector<std::string> CodeBlocks(absl::string_view markdown, absl::string_view language);

// The rows below the table header `header`, which is given exactly as in the text. Cells are
// stripped of surrounding spaces and backticks. Returns none, and fails the test, unless exactly
// one table has this header.
std::vector<std::vector<std::string>> TableRows(absl::string_view markdown,
                                                absl::string_view header);

// The targets of the links outside code.
std::vector<std::string> LinkTargets(absl::string_view markdown);

// The anchors that links can name after a "#": the headings, in GitHub's spelling.
std::vector<std::string> Anchors(absl::string_view markdown);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_DOCS_MARKDOWN_H_
