// `sst`: writes, reads and checks LevelDB-format tables. Each sub-command is in a cmd_*.cc.
#include <fcntl.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"
#include "tools/run_sst.h"

namespace {

// If a caller closed a standard stream, the next file opened would get its number, and messages
// would end up in a table. Fills the gap with a descriptor opened in the opposite direction, so
// that using it fails.
void HoldStandardDescriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    const int held = ::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
    static_cast<void>(held);  // the lowest free number: `descriptor`
  }
}

// A merge of a database holds all tables open that overlap. The lower limit, often 1,024, is there
// for programs that use select(2).
void AllowMoreDescriptors() {
  struct rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  using sstable::tools::Console;
  using sstable::tools::ExitCode;
  HoldStandardDescriptors();
  AllowMoreDescriptors();
  // Makes a closed pipe, or a file that may not grow, a failed write, which leaves no files.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  ExitCode code;
  try {
    Console console;
    const std::vector<std::string> args(argv + 1, argv + argc);
    code = console.Close(sstable::tools::RunSst(args, &console));
  } catch (const std::bad_alloc&) {
    std::fputs("sst: out of memory\n", stderr);
    code = ExitCode::kCannot;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sst: internal error: %s\n", error.what());
    code = ExitCode::kCannot;
  }
  return static_cast<int>(code);
}
