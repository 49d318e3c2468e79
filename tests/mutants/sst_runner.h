// Runs `sst` in this process, and captures its output.
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
  int exit_code = 0;  // kThrew if it threw an exception
  std::string out;
  std::string err;
  double cpu_seconds = 0;     // processor time, which other processes hardly affect
  uint64_t memory_bytes = 0;  // see MemoryMeter

  static constexpr int kThrew = 99;
};

// Has its own folder, in memory if there is a memory file system.
//
// Threads: one at a time. After fork(), only one of the two processes may run commands. If the
// child dies, the parent can read its output. Either may destroy the runner, which removes the
// folder.
class SstRunner {
 public:
  SstRunner();
  virtual ~SstRunner();
  SstRunner(const SstRunner&) = delete;
  SstRunner& operator=(const SstRunner&) = delete;

  // Virtual, so that a test of the judge can make a command say something false.
  virtual SstResult Run(const std::vector<std::string>& arguments);

  // Runs any function that prints like a command.
  SstResult Run(absl::FunctionRef<tools::ExitCode(tools::Console*)> command);

  // Standard error of the current command, or of the last one.
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
