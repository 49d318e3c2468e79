#include "tools/cli/interrupt.h"

namespace sstable::tools {
namespace {

volatile std::sig_atomic_t caught_signal = 0;

extern "C" void KeepSignal(int signal) { caught_signal = signal; }

}  // namespace

InterruptGuard::InterruptGuard() {
  for (size_t i = 0; i < 3; ++i) {
    ::sigaction(kSignals[i], nullptr, &old_actions_[i]);
    // A signal that is ignored already, as by nohup, stays ignored.
    if (old_actions_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = KeepSignal;  // without SA_RESTART
    ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (size_t i = 0; i < 3; ++i) ::sigaction(kSignals[i], &old_actions_[i], nullptr);
  if (caught_signal != 0) std::raise(caught_signal);
}

bool Interrupted() { return caught_signal != 0; }

absl::Status CheckInterrupted() {
  return Interrupted() ? absl::CancelledError("interrupted") : absl::OkStatus();
}

}  // namespace sstable::tools
