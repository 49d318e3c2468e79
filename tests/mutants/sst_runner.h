// Runs `sst` in this process, and keeps what it prints.
#ifndef SSTABLE_TESTS_MUTANTS_SST_RUNNER_H_
#define SSTABLE_TESTS_MUTANTS_SST_RUNNER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"

namespace sstable::mutants {

struct SstResult {
  int exit_code = 0;  // kThrew if something was thrown
  std::string out;
  std::string err;
  double cpu_seconds = 0;     // of the process, so that what else runs on the machine counts little
  uint64_t memory_bytes = 0;  // see MemoryMeter

  static constexpr int kThrew = 99;
};

// Has a folder of its own, in memory where there is such a file system.
//
// Threads: one at a time. After fork() only one of the two processes may run commands; the other
// can read what was printed when its fellow died. Whoever destroys it removes the folder.
class SstRunner {
 public:
  SstRunner();
  virtual ~SstRunner();
  SstRunner(const SstRunner&) = delete;
  SstRunner& operator=(const SstRunner&) = delete;

  // Virtual, so that a test of the judge can have a command say what is not so.
  virtual SstResult Run(const std::vector<std::string>& arguments);

  // Anything that prints as a command does.
  SstResult Run(absl::FunctionRef<tools::ExitCode(tools::Console*)> command);

  // Of the command that runs, or has run last.
  std::string StandardError() const;

  std::string Path(absl::string_view name) const { return folder_ + "/" + std::string(name); }
  void Write(absl::string_view name, absl::string_view contents) const;
  bool Exists(absl::string_view name) const;
  void Remove(absl::string_view name) const;

 private:
  std::string folder_;
  int out_, err_;  // files in memory
  int original_out_, original_err_;
};

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_SST_RUNNER_H_
