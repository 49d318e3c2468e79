// Runs jobs in several threads, with output as if they ran one after the other.
#ifndef SSTABLE_TOOLS_CLI_ORDERED_JOBS_H_
#define SSTABLE_TOOLS_CLI_ORDERED_JOBS_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "tools/cli/console.h"
#include "tools/cli/ordered_output.h"

namespace sstable::tools {

// The arguments of a job.
struct JobContext {
  size_t number;  // number of the job
  size_t thread;  // index of the thread that runs it; 0 is the caller's
  Console* console;
  OrderedOutput::Job* output;  // where `console` writes
};

// The size of job `i` on the progress bar.
using JobSize = absl::FunctionRef<uint64_t(size_t i)>;

// Runs jobs 0 to `count` - 1, each once, in up to `threads` threads, including the caller's. Jobs
// start in order. None starts after the console has been closed or a job has been made the last.
// Output that waits for its turn takes 16 MiB at most. The first job that throws ends the
// output; its exception is rethrown here.
void RunInOrder(size_t count, size_t threads, JobSize size,
                absl::FunctionRef<void(const JobContext& context)> run, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_ORDERED_JOBS_H_
