// Lets a command clean up when a signal stops it.
#ifndef SSTABLE_TOOLS_CLI_INTERRUPT_H_
#define SSTABLE_TOOLS_CLI_INTERRUPT_H_

#include <csignal>

#include "absl/status/status.h"

namespace sstable::tools {

// While it lives, Ctrl-C, a hang-up and a plain `kill` only set a flag and interrupt a waiting
// system call. When it is destroyed, a signal that came ends the program as usual. Create it before
// a temporary file, so that it is destroyed after that has been removed; work in between calls
// Interrupted() or CheckInterrupted() often. Without one, the signals end the program at once. One
// at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction old_actions_[3];
};

// Whether a signal came.
bool Interrupted();

// Cancelled if a signal came.
absl::Status CheckInterrupted();

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_INTERRUPT_H_
