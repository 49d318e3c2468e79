// Runs jobs by several threads, whose output is as if they had run one after the other.
#ifndef SSTABLE_TOOLS_CLI_ORDERED_JOBS_H_
#define SSTABLE_TOOLS_CLI_ORDERED_JOBS_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "tools/cli/console.h"
#include "tools/cli/ordered_output.h"

namespace sstable::tools {

// What a job gets.
struct JobContext {
  size_t number;  // of the job
  size_t thread;  // that runs it, below the number of threads: 0 is the caller's
  Console* console;
  OrderedOutput::Job* output;  // what `console` writes to
};

// The size of job `i`, of the work that the progress bar shows.
using JobSize = absl::FunctionRef<uint64_t(size_t i)>;

// Runs jobs 0 to `count` - 1, each once, by `threads` threads or fewer; the caller's is one of
// them. Jobs begin in order. None begins after the console has been closed or a job has been made
// the last. What has to wait for its turn takes a few MiB at most. The first exception that a job
// throws ends the output there, and leaves this function.
void RunInOrder(size_t count, size_t threads, JobSize size,
                absl::FunctionRef<void(const JobContext& context)> run, Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_ORDERED_JOBS_H_
