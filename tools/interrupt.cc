#include "tools/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace sstable::tools {
namespace {

volatile std::sig_atomic_t caught_signal = 0;

extern "C" void KeepSignal(int signal) { caught_signal = signal; }

}  // namespace

void CatchInterrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    // A signal that the caller ignores, as nohup does, stays ignored.
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = KeepSignal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);  // and no SA_RESTART
    ::sigaction(signal, &action, nullptr);
  }
}

bool Interrupted() { return caught_signal != 0; }

void DieIfInterrupted() {
  if (caught_signal != 0) std::raise(caught_signal);
}

}  // namespace sstable::tools
