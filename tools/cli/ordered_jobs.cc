#include "tools/cli/ordered_jobs.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace sstable::tools {
namespace {

constexpr size_t kMaxHeldSize = size_t{16} << 20;  // a table of 2 MiB may be 8 MiB of text

// Runs jobs one after the other until there are no more.
class JobQueue {
 public:
  JobQueue(size_t count, JobSize size, absl::FunctionRef<void(const JobContext& context)> run,
           Console* console)
      : count_(count), size_(size), run_(run), console_(console), output_(console, kMaxHeldSize) {}

  // The work of each thread.
  void Work(size_t thread) {
    while (!output_.closed()) {
      const size_t i = next_.fetch_add(1);
      if (i >= count_ || output_.IsDropped(i)) return;
      OrderedOutput::Job job(&output_, i);
      try {
        Console console(console_, &job, size_(i));
        run_({i, thread, &console, &job});
        console.Flush();
      } catch (...) {
        job.MakeLast();
        const std::lock_guard<std::mutex> lock(mutex_);
        if (exception_ == nullptr || i < thrown_by_) exception_ = std::current_exception();
        thrown_by_ = std::min(thrown_by_, i);
      }
    }
  }

  // Call after all threads have ended. Rethrows an exception of a job.
  void Finish() const {
    if (exception_ != nullptr) std::rethrow_exception(exception_);
  }

 private:
  const size_t count_;
  const JobSize size_;
  const absl::FunctionRef<void(const JobContext& context)> run_;
  Console* const console_;
  OrderedOutput output_;
  std::atomic<size_t> next_{0};
  std::mutex mutex_;  // guards the next two
  std::exception_ptr exception_;
  size_t thrown_by_ = SIZE_MAX;  // the first job that has thrown an exception
};

}  // namespace

void RunInOrder(size_t count, size_t threads, JobSize size,
                absl::FunctionRef<void(const JobContext& context)> run, Console* console) {
  JobQueue queue(count, size, run, console);
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min(threads, count); ++i) {
    try {
      others.emplace_back([&queue, i] { queue.Work(i); });
    } catch (const std::system_error&) {
      break;  // fewer threads suffice
    }
  }
  queue.Work(0);
  for (std::thread& thread : others) thread.join();
  queue.Finish();
}

}  // namespace sstable::tools
