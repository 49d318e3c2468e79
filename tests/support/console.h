// Console examples: text with commands, and the output of each below it.
#ifndef SSTABLE_TESTS_SUPPORT_CONSOLE_H_
#define SSTABLE_TESTS_SUPPORT_CONSOLE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tests/support/run_command.h"

namespace sstable::test {

// A part of the text: lines that are kept, then a command and its output.
struct ConsoleStep {
  std::string comment;  // lines that begin with "# ", and the empty lines before them or before a
                        // command
  std::string lines;    // the command as written: "$ ", with continuation lines after "\"
  std::string command;  // the same without "$ "; empty after the last command
};

// Splits `text`. Drops the output that it shows.
std::vector<ConsoleStep> ParseConsole(absl::string_view text);

// Runs `command` in a shell, in the current folder.
CommandResult RunShell(const std::string& command);

// Returns `text` with the actual output of its commands: standard output as it is, lines of
// standard error after "! ", and "[exit N]" unless N is 0. The commands run in the current folder,
// one after another.
std::string RunConsole(absl::string_view text);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_CONSOLE_H_
