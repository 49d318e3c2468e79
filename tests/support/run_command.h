// Runs a program as a shell would, and captures its output.
#ifndef SSTABLE_TESTS_SUPPORT_RUN_COMMAND_H_
#define SSTABLE_TESTS_SUPPORT_RUN_COMMAND_H_

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace sstable::test {

struct CommandResult {
  int exit_code = -1;  // 128 + n if it was ended by signal n
  std::string out;     // what it wrote to standard output, or to the terminal
  std::string err;
  bool got_signal = false;  // it got far enough for CommandOptions::signal
  int calls = 0;            // system calls of its first thread, if `signal_at_call` is set
};

// For failure messages.
inline std::ostream& operator<<(std::ostream& stream, const CommandResult& result) {
  return stream << "exit code " << result.exit_code << "\nout: " << result.out
                << "\nerr: " << result.err;
}

struct CommandOptions {
  // Standard input, passed through a pipe; at most 1 MiB.
  std::string input;
  // If set, standard input is this file instead; "" closes it.
  std::optional<std::string> input_file;

  enum class Output { kKept, kTerminal, kPipeWithoutReader, kDevFull, kClosed };
  Output output = Output::kKept;

  std::vector<std::string> environment;  // "NAME=value", added to the test's environment

  // If set, `signal` is sent to the program's first thread before its system call with this number,
  // where 0 is the first one after loading.
  std::optional<int> signal_at_call;
  int signal = 0;
};

// Runs the program `arguments[0]` and returns when it has ended.
CommandResult RunCommand(const std::vector<std::string>& arguments,
                         const CommandOptions& options = {});

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_RUN_COMMAND_H_
