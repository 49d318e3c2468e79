#include "tests/support/run_command.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include "gtest/gtest.h"

namespace sstable::test {
namespace {

// Reads a seekable descriptor from its start.
std::string ReadFromStart(int descriptor) {
  std::string contents;
  char buffer[1 << 16];
  ssize_t count;
  while ((count = ::pread(descriptor, buffer, sizeof(buffer),
                          static_cast<off_t>(contents.size()))) > 0) {
    contents.append(buffer, static_cast<size_t>(count));
  }
  return contents;
}

// Reads what was written to a terminal, after all its writers have closed it. Holds a few KiB.
std::string ReadTerminal(int master) {
  std::string contents;
  char buffer[4096];
  ssize_t count;
  while ((count = ::read(master, buffer, sizeof(buffer))) > 0) {  // fails with EIO at the end
    contents.append(buffer, static_cast<size_t>(count));
  }
  return contents;
}

int OpenTerminal(int master) {
  EXPECT_EQ(::grantpt(master), 0);
  EXPECT_EQ(::unlockpt(master), 0);
  const int terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  struct termios settings;
  EXPECT_EQ(::tcgetattr(terminal, &settings), 0);
  settings.c_oflag = 0;  // no "\r" before "\n"
  EXPECT_EQ(::tcsetattr(terminal, TCSANOW, &settings), 0);
  return terminal;
}

int OpenInput(const CommandOptions& options) {
  if (options.input_file.has_value()) {
    return options.input_file->empty() ? -1
                                       : ::open(options.input_file->c_str(), O_RDONLY | O_CLOEXEC);
  }
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  // There is no reader yet, so the pipe must hold all of it.
  EXPECT_GE(::fcntl(ends[1], F_SETPIPE_SZ, std::max<size_t>(options.input.size(), 4096)),
            static_cast<int>(options.input.size()));
  EXPECT_EQ(::write(ends[1], options.input.data(), options.input.size()),
            static_cast<ssize_t>(options.input.size()));
  ::close(ends[1]);
  return ends[0];
}

int OpenOutput(CommandOptions::Output output, int master) {
  switch (output) {
    case CommandOptions::Output::kKept:
      return ::memfd_create("stdout", MFD_CLOEXEC);
    case CommandOptions::Output::kTerminal:
      return OpenTerminal(master);
    case CommandOptions::Output::kDevFull:
      return ::open("/dev/full", O_WRONLY | O_CLOEXEC);
    case CommandOptions::Output::kPipeWithoutReader: {
      int ends[2];
      EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
      ::close(ends[0]);
      return ends[1];
    }
    case CommandOptions::Output::kClosed:
      break;
  }
  return -1;
}

// Makes `descriptor` standard stream `number`; a negative one closes that stream.
void Redirect(int descriptor, int number) {
  if (descriptor < 0) {
    ::close(number);
  } else {
    ::dup2(descriptor, number);
  }
}

[[noreturn]] void Exec(const std::vector<std::string>& arguments, const CommandOptions& options) {
  std::signal(SIGPIPE, SIG_DFL);
  for (const std::string& variable : options.environment) {
    ::putenv(const_cast<char*>(variable.c_str()));
  }
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  if (options.signal_at_call.has_value()) ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  ::execv(argv[0], argv.data());
  std::perror(argv[0]);
  ::_exit(127);
}

int Wait(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Lets `child`, which is stopped for tracing, continue to the system call with this number. Returns
// false, with `*status`, if it ends before that. `*calls` is the number of calls made.
bool GoOnToCall(pid_t child, int number, int* status, int* calls) {
  *status = Wait(child);  // stops at exec
  if (!WIFSTOPPED(*status)) return false;
  EXPECT_EQ(::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL),
            0);
  // The child stops twice for each call: before and after it.
  for (int stops = 0; stops <= 2 * number;) {
    const bool by_signal = WSTOPSIG(*status) != SIGTRAP && WSTOPSIG(*status) != (SIGTRAP | 0x80);
    EXPECT_EQ(::ptrace(PTRACE_SYSCALL, child, nullptr, by_signal ? WSTOPSIG(*status) : 0), 0);
    *status = Wait(child);
    if (!WIFSTOPPED(*status)) return false;
    if (WSTOPSIG(*status) != (SIGTRAP | 0x80)) continue;
    ++stops;
    *calls = stops / 2;
  }
  return true;
}

// Sends the signal to `child` and waits until it ends.
int SignalAndWait(pid_t child, const CommandOptions& options, CommandResult* result) {
  int status = 0;
  result->got_signal = GoOnToCall(child, *options.signal_at_call, &status, &result->calls);
  if (!result->got_signal) return status;
  ::kill(child, options.signal);
  ::ptrace(PTRACE_DETACH, child, nullptr, 0);
  return Wait(child);
}

}  // namespace

CommandResult RunCommand(const std::vector<std::string>& arguments, const CommandOptions& options) {
  const bool on_terminal = options.output == CommandOptions::Output::kTerminal;
  const int master = on_terminal ? ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
  const int in = OpenInput(options);
  const int out = OpenOutput(options.output, master);
  const int err = on_terminal ? out : ::memfd_create("stderr", MFD_CLOEXEC);
  const pid_t child = ::fork();
  EXPECT_GE(child, 0);
  if (child == 0) {
    Redirect(in, STDIN_FILENO);
    Redirect(out, STDOUT_FILENO);
    Redirect(err, STDERR_FILENO);
    Exec(arguments, options);
  }
  CommandResult result;
  if (on_terminal) {
    ::close(out);
    result.out = ReadTerminal(master);
    ::close(master);
  }
  const int status =
      options.signal_at_call.has_value() ? SignalAndWait(child, options, &result) : Wait(child);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (!on_terminal) {
    if (options.output == CommandOptions::Output::kKept) result.out = ReadFromStart(out);
    result.err = ReadFromStart(err);
    ::close(err);
    if (out >= 0) ::close(out);
  }
  if (in >= 0) ::close(in);
  return result;
}

}  // namespace sstable::test
