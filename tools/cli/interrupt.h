// Lets a command clean up when a signal stops it.
#ifndef SSTABLE_TOOLS_CLI_INTERRUPT_H_
#define SSTABLE_TOOLS_CLI_INTERRUPT_H_

#include <memory>

#include "absl/status/status.h"
#include "util/system.h"

namespace sstable::tools {

// While it exists, Ctrl-C, a hang-up and a plain `kill` only set a flag and interrupt a waiting
// system call. If a signal came, the destructor ends the program as usual. Create it before a
// temporary file, so that the file is removed first, and call Interrupted() or CheckInterrupted()
// often. Without a guard, the signals end the program at once. Only one may exist at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  std::unique_ptr<sys::SignalCatcher> catcher_;
};

// Returns true if a signal came.
bool Interrupted();

// Returns Cancelled if a signal came.
absl::Status CheckInterrupted();

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_INTERRUPT_H_
