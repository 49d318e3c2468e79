#include "tests/support/console.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace sstable::test {
namespace {

// Returns the lines of `output`, each preceded by `mark`.
std::string Marked(absl::string_view output, absl::string_view mark) {
  if (output.empty()) return "";
  std::string text;
  const bool is_complete = absl::ConsumeSuffix(&output, "\n");
  for (const absl::string_view line : absl::StrSplit(output, '\n')) {
    absl::StrAppend(&text, mark, line, "\n");
  }
  // A final empty line would be mistaken for one between two commands.
  if (text == "\n" || absl::EndsWith(text, "\n\n")) text.insert(text.size() - 1, "[empty line]");
  if (!is_complete) text.insert(text.size() - 1, "[no line end]");
  return text;
}

}  // namespace

std::vector<ConsoleStep> ParseConsole(absl::string_view text) {
  std::vector<ConsoleStep> steps(1);
  std::string empty_lines;  // part of the output unless a comment or command follows
  bool goes_on = false;     // the last line of a command ended with "\"
  absl::ConsumeSuffix(&text, "\n");
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (goes_on || absl::StartsWith(line, "$ ")) {
      if (!goes_on) steps.back().comment += empty_lines;
      absl::StrAppend(&steps.back().lines, line, "\n");
      goes_on = absl::EndsWith(line, "\\");
      if (!goes_on) {
        steps.back().command = steps.back().lines.substr(2);
        steps.emplace_back();
      }
    } else if (absl::StartsWith(line, "# ")) {
      absl::StrAppend(&steps.back().comment, empty_lines, line, "\n");
    } else if (line.empty()) {
      empty_lines += "\n";
      continue;
    }
    empty_lines.clear();
  }
  return steps;
}

CommandResult RunShell(const std::string& command) {
  return RunCommand({"/bin/bash", "-c", command});
}

std::string RunConsole(absl::string_view text) {
  std::string actual;
  for (const ConsoleStep& step : ParseConsole(text)) {
    absl::StrAppend(&actual, step.comment, step.lines);
    if (step.command.empty()) continue;
    const CommandResult result = RunShell(step.command);
    absl::StrAppend(&actual, Marked(result.out, ""), Marked(result.err, "! "));
    if (result.exit_code != 0) absl::StrAppend(&actual, "[exit ", result.exit_code, "]\n");
  }
  return actual;
}

}  // namespace sstable::test
