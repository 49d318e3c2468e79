// The calls of util/system.h for mappings and for the process.
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "absl/base/config.h"
#include "util/system.h"

namespace sstable::sys {

size_t PageSize() {
  static const auto size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

char* Map(int descriptor, size_t size) {
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  return address == MAP_FAILED ? nullptr : static_cast<char*>(address);
}

// ThreadSanitizer does not see mremap() and would report races with earlier uses of the same
// addresses, so there is no duplicate under it.
char* MapAgain([[maybe_unused]] char* address, [[maybe_unused]] size_t size) {
#if defined(MREMAP_MAYMOVE) && !defined(ABSL_HAVE_THREAD_SANITIZER)
  void* const copy = ::mremap(address, 0, size, MREMAP_MAYMOVE);
  if (copy != MAP_FAILED) return static_cast<char*>(copy);
#endif
  return nullptr;
}

void Unmap(char* address, size_t size) { ::munmap(address, size); }

void Advise(char* address, size_t size, Use use) {
  const int advice = use == Use::kRandom   ? MADV_RANDOM
                     : use == Use::kNormal ? MADV_NORMAL
                                           : MADV_WILLNEED;
  static_cast<void>(::madvise(address, size, advice));
}

// Since 5.2, Linux reports all pages of other users' files as in memory.
bool KnowsMemoryOf(uint64_t owner) {
  const uid_t user = ::geteuid();
  return user == 0 || user == owner;
}

bool AreInMemory(char* address, size_t page_count) {
#ifdef __APPLE__
  char states[8];
#else
  unsigned char states[8];
#endif
  return ::mincore(address, page_count * PageSize(), states) == 0 &&
         std::all_of(states, states + page_count, [](int state) { return (state & 1) != 0; });
}

void AdviseHugePages([[maybe_unused]] void* address, [[maybe_unused]] size_t size) {
#ifdef MADV_HUGEPAGE
  static_cast<void>(::madvise(address, size, MADV_HUGEPAGE));
#endif
}

void* AllocateAligned(size_t alignment, size_t size) { return ::aligned_alloc(alignment, size); }

void FreeAligned(void* p) { std::free(p); }

uint64_t ProcessId() { return static_cast<uint64_t>(::getpid()); }

uint64_t MaxDescriptors() {
  struct rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  return limit.rlim_cur;
}

double ThreadSeconds() {
  timespec now;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string TemporaryFolder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder == nullptr || *folder == '\0' ? "/tmp" : folder;
}

uint32_t SetFileMask(uint32_t mask) { return ::umask(static_cast<mode_t>(mask)); }

void PrepareProcess() {
  // If a caller closed a standard stream, the next file opened would get its number, and messages
  // would end up in a table. Fills the gap with a descriptor opened in the opposite direction, so
  // that using it fails.
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    const int held = ::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
    static_cast<void>(held);  // the lowest free number: `descriptor`
  }
  // A merge of a database keeps all overlapping tables open. The soft limit, often 1,024, exists
  // for programs that use select(2).
  struct rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
#ifdef __APPLE__
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, OPEN_MAX);  // setrlimit() refuses more
#endif
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  // Writing to a closed pipe or beyond the file size limit then fails instead of ending the
  // process, so no temporary files are left.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

std::vector<std::string> Arguments(int argc, char** argv) { return {argv + 1, argv + argc}; }

struct SignalCatcher::State {
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction old_actions[3];
};

SignalCatcher::SignalCatcher(void (*handler)(int signal)) : state_(new State) {
  for (size_t i = 0; i < 3; ++i) {
    ::sigaction(State::kSignals[i], nullptr, &state_->old_actions[i]);
    // A signal that is ignored already, as by nohup, stays ignored.
    if (state_->old_actions[i].sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = handler;  // without SA_RESTART
    ::sigaction(State::kSignals[i], &action, nullptr);
  }
}

SignalCatcher::~SignalCatcher() {
  for (size_t i = 0; i < 3; ++i) {
    ::sigaction(State::kSignals[i], &state_->old_actions[i], nullptr);
  }
}

std::thread StartThreadWithoutSignals(std::function<void()> run) {
  sigset_t all, old;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &old);
  std::thread thread;
  try {
    thread = std::thread(std::move(run));
  } catch (...) {
    ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
    throw;
  }
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return thread;
}

}  // namespace sstable::sys
