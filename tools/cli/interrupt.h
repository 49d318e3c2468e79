// Lets a command clean up when it is told to stop.
#ifndef SSTABLE_TOOLS_CLI_INTERRUPT_H_
#define SSTABLE_TOOLS_CLI_INTERRUPT_H_

#include <csignal>

#include "absl/status/status.h"

namespace sstable::tools {

// While it lives, Ctrl-C, a hang-up and a plain `kill` only set a flag and end the system call that
// waits, each time that they come. Where it ends, one that came ends the program as it would have
// done before. Made before there is a temporary file, it ends after that has been removed; all that
// goes on meanwhile asks Interrupted() or CheckInterrupted() often. Without one, the signals end
// the program at once. One at a time.
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

// Whether one came.
bool Interrupted();

// Cancelled if one came.
absl::Status CheckInterrupted();

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_INTERRUPT_H_
