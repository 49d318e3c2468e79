// A progress bar for long work.
#ifndef SSTABLE_TOOLS_CLI_PROGRESS_H_
#define SSTABLE_TOOLS_CLI_PROGRESS_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace sstable::tools {

// Draws on standard error if that is a terminal and SST_NO_PROGRESS is not set in the environment,
// after the first second. A separate thread draws, so that work that does not report progress is
// also seen to continue.
//
// Threads: one at a time, except that any may call Advance() and Hide(). The drawing thread blocks
//          all signals, so that other threads receive them.
class Progress {
 public:
  Progress();
  // For tests: draws by calling `write`, for the first time after `quiet_time`.
  Progress(std::function<void(absl::string_view)> write, absl::Duration quiet_time);
  // A part of `whole`, with `size` bytes of its work. Draws nothing itself. Advances `whole` by at
  // most `size`, and by exactly `size` in total once it is destroyed.
  Progress(Progress* whole, uint64_t size);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Starts work on `total` bytes; 0 if that is not known.
  void Begin(absl::string_view label, uint64_t total);
  // Reports that `bytes` more have been processed.
  void Advance(uint64_t bytes) {
    if (!enabled_) return;
    if (whole_ == nullptr) {
      done_.fetch_add(bytes, std::memory_order_relaxed);
    } else {
      AdvancePart(bytes);
    }
  }
  void End();

  // Removes the bar from the screen, so that a line can be written there. It is not drawn while the
  // result exists.
  [[nodiscard]] std::unique_lock<std::mutex> Hide();

  void Disable();

 private:
  void AdvancePart(uint64_t bytes);
  void Run();
  void Draw();
  void Erase();

  const std::function<void(absl::string_view)> write_;
  const absl::Duration quiet_time_;
  bool enabled_;
  Progress* const whole_ = nullptr;     // the progress that this is a part of
  std::atomic<uint64_t> part_left_{0};  // bytes by which `whole_` is still to be advanced
  std::atomic<uint64_t> done_{0};
  std::thread thread_;  // runs from Begin() to End(), if enabled

  std::mutex mutex_;  // guards the rest
  std::condition_variable stopped_;
  bool stop_ = false;
  bool drawn_ = false;
  std::string label_;
  uint64_t total_ = 0;
  absl::Time start_;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_PROGRESS_H_
