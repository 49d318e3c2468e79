// The parts of Markdown that documentation tests need.
#ifndef SSTABLE_TESTS_DOCS_MARKDOWN_H_
#define SSTABLE_TESTS_DOCS_MARKDOWN_H_

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace sstable::test {

// Returns the folder of this workspace: that of README.md, to which the test has a link.
std::filesystem::path Workspace();

// Returns the paths of all Markdown files in the workspace.
std::vector<std::filesystem::path> MarkdownFiles();

// Reads the file at `path`, relative to the workspace. If it can't be read, returns an empty string
// and fails the test.
std::string ReadDocument(const std::string& path);

// Returns the languages of the fenced code blocks.
std::set<std::string> CodeLanguages(absl::string_view markdown);

// Returns the contents of the fenced code blocks in this language, in order.
std::vector<std::string> CodeBlocks(absl::string_view markdown, absl::string_view language);

// Returns the rows of the table with this header line, which must be given verbatim. Cells are
// stripped of surrounding spaces and backticks. Unless exactly one table has this header, fails the
// test and returns none.
std::vector<std::vector<std::string>> TableRows(absl::string_view markdown,
                                                absl::string_view header);

// Returns the targets of all links outside code.
std::vector<std::string> LinkTargets(absl::string_view markdown);

// Returns the anchors of all headings, in GitHub's spelling.
std::vector<std::string> Anchors(absl::string_view markdown);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_DOCS_MARKDOWN_H_
