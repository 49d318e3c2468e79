// Runs a program as a shell would, and captures its output.
#ifndef SSTABLE_TESTS_SUPPORT_RUN_COMMAND_H_
#define SSTABLE_TESTS_SUPPORT_RUN_COMMAND_H_

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace sstable::test {

struct CommandResult {
  int exit_code = -1;  // 128 + n if signal n ended it
  std::string out;     // what it wrote to standard output, or to the terminal
  std::string err;
  bool got_signal = false;  // it made enough calls for CommandOptions::signal
  int calls = 0;            // system calls of its first thread, if signal_at_call was given
};

// For test failures.
inline std::ostream& operator<<(std::ostream& stream, const CommandResult& result) {
  return stream << "exit code " << result.exit_code << "\nout: " << result.out
                << "\nerr: " << result.err;
}

struct CommandOptions {
  // Standard input, through a pipe; at most 1 MiB.
  std::string input;
  // If set, this file is standard input instead; "" closes standard input.
  std::optional<std::string> input_file;

  enum class Output { kKept, kTerminal, kPipeWithoutReader, kDevFull, kClosed };
  Output output = Output::kKept;

  std::vector<std::string> environment;  // "NAME=value", in addition to the test's

  // If set, `signal` is sent to the program's first thread before its system call with this number;
  // 0 is the first after the program was loaded.
  std::optional<int> signal_at_call;
  int signal = 0;
};

// `arguments` begin with the program. Returns when it has ended.
CommandResult RunCommand(const std::vector<std::string>& arguments,
                         const CommandOptions& options = {});

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_RUN_COMMAND_H_
