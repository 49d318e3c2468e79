// The calls of util/system.h for mappings, of which there are none, and for the process.
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <windows.h>
// Needs windows.h.
#include <shellapi.h>

#include <csignal>
#include <cstdlib>
#include <utility>

#include "util/system.h"
#include "util/system_windows.h"

namespace sstable::sys {

size_t PageSize() { return 4096; }
char* Map(int, size_t) { return nullptr; }
char* MapAgain(char*, size_t) { return nullptr; }
void Unmap(char*, size_t) {}
void Advise(char*, size_t, Use) {}
bool KnowsMemoryOf(uint64_t) { return false; }
bool AreInMemory(char*, size_t) { return false; }
void AdviseHugePages(void*, size_t) {}

void* AllocateAligned(size_t alignment, size_t size) { return _aligned_malloc(size, alignment); }

void FreeAligned(void* p) { _aligned_free(p); }

uint64_t ProcessId() { return GetCurrentProcessId(); }

uint64_t MaxDescriptors() { return 8192; }  // the limit of the C library

double ThreadSeconds() {
  FILETIME created, ended, system, user;
  GetThreadTimes(GetCurrentThread(), &created, &ended, &system, &user);
  const auto ticks = [](FILETIME time) {
    return uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime;
  };
  return 1e-7 * static_cast<double>(ticks(system) + ticks(user));
}

std::string TemporaryFolder() {
  std::wstring folder(MAX_PATH + 1, L'\0');
  folder.resize(GetTempPathW(MAX_PATH + 1, &folder[0]));
  return FromWide(folder);
}

uint32_t SetFileMask(uint32_t) { return 0; }  // a new file has the permissions of its folder

void PrepareProcess() {
  // HandleOf() then fails for a closed standard stream instead of ending the program.
  _set_invalid_parameter_handler(
      [](const wchar_t*, const wchar_t*, const wchar_t*, unsigned int, uintptr_t) {});
  for (int descriptor = 0; descriptor <= 2; ++descriptor) _setmode(descriptor, _O_BINARY);
  SetErrorMode(SEM_FAILCRITICALERRORS);  // a device that is not ready is an error, not a dialog
  // Sets the console to UTF-8 and enables escape sequences, which the progress bar needs. The
  // settings are restored at exit, since the shell shares the console.
  static const UINT old_page = GetConsoleOutputCP();
  if (old_page != 0 && SetConsoleOutputCP(CP_UTF8)) {
    std::atexit([] { SetConsoleOutputCP(old_page); });
  }
  static const HANDLE messages = GetStdHandle(STD_ERROR_HANDLE);
  static DWORD old_mode;
  constexpr DWORD kVirtualTerminal = 4;
  if (GetConsoleMode(messages, &old_mode) &&
      SetConsoleMode(messages, old_mode | kVirtualTerminal)) {
    std::atexit([] { SetConsoleMode(messages, old_mode); });
  }
}

std::vector<std::string> Arguments(int, char**) {
  int count = 0;
  wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
  std::vector<std::string> arguments;
  for (int i = 1; i < count; ++i) arguments.push_back(FromWide(words[i]));
  LocalFree(words);
  return arguments;
}

struct SignalCatcher::State {
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGBREAK};
  void (*old_handlers[3])(int);
};

SignalCatcher::SignalCatcher(void (*handler)(int signal)) : state_(new State) {
  for (size_t i = 0; i < 3; ++i) {
    state_->old_handlers[i] = std::signal(State::kSignals[i], handler);
  }
}

SignalCatcher::~SignalCatcher() {
  for (size_t i = 0; i < 3; ++i) std::signal(State::kSignals[i], state_->old_handlers[i]);
}

std::thread StartThreadWithoutSignals(std::function<void()> run) {
  return std::thread(std::move(run));
}

}  // namespace sstable::sys
