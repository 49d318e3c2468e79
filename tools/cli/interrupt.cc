#include "tools/cli/interrupt.h"

#include <csignal>

#include "util/system.h"

namespace sstable::tools {
namespace {

volatile std::sig_atomic_t caught_signal = 0;

extern "C" void KeepSignal(int signal) { caught_signal = signal; }

}  // namespace

InterruptGuard::InterruptGuard() : catcher_(new sys::SignalCatcher(KeepSignal)) {}

InterruptGuard::~InterruptGuard() {
  catcher_.reset();
  if (caught_signal != 0) std::raise(caught_signal);
}

bool Interrupted() { return caught_signal != 0; }

absl::Status CheckInterrupted() {
  return Interrupted() ? absl::CancelledError("interrupted") : absl::OkStatus();
}

}  // namespace sstable::tools
