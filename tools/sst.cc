// `sst`: writes, reads and checks LevelDB-format tables. Each sub-command is in a cmd_*.cc.
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"
#include "tools/run_sst.h"
#include "util/system.h"

int main(int argc, char** argv) {
  using sstable::tools::Console;
  using sstable::tools::ExitCode;
  sstable::sys::PrepareProcess();
  ExitCode code;
  try {
    Console console;
    const std::vector<std::string> args = sstable::sys::Arguments(argc, argv);
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
