#include "tests/support/faulty_system.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>

extern "C" ssize_t __real_readlink(const char* path, char* target, size_t size);

namespace sstable::test {
namespace {

struct State {
  std::mutex mutex;
  bool is_armed = false;
  size_t calls_before_fault = SIZE_MAX;
  Fault fault = {};
  std::vector<const char*> calls;
  const char* failed = "";
};

State& TheState() {
  static auto* const state = new State;  // never destroyed, since files may be closed at exit
  return *state;
}

[[noreturn]] void Die() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

std::string PathOf(const char* path) { return path; }
std::string PathOf(int descriptor) {
  char target[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = __real_readlink(link.c_str(), target, sizeof(target));
  return size < 0 ? "" : std::string(target, static_cast<size_t>(size));
}

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Counts a call on a file, given by path or descriptor. Returns true, with errno set, if it must
// fail; a read or write may be shortened instead.
template <typename File>
bool IsFaulty(const char* call, File file, size_t* size = nullptr) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.is_armed) return false;
  if (state.fault.only != nullptr && std::strcmp(state.fault.only, call) != 0) return false;
  if (!state.fault.path.empty() && !EndsWith(PathOf(file), state.fault.path)) return false;
  const size_t number = state.calls.size();
  state.calls.push_back(call);
  if (state.fault.stays ? number < state.calls_before_fault : number != state.calls_before_fault) {
    return false;
  }
  if (state.fault.kills) {
    if (std::strcmp(call, "write") != 0 || *size == 0) Die();
    *size /= 2;  // __wrap_write() then kills the process
    return false;
  }
  if (state.fault.error == 0 && size == nullptr) return false;
  if (*state.failed == '\0') state.failed = call;
  if (state.fault.error == 0) {
    *size = std::min(*size, state.fault.most_size);
    return false;
  }
  errno = state.fault.error;
  return true;
}

bool Kills() {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.is_armed && state.fault.kills;
}

}  // namespace

FaultySystem::FaultySystem(size_t calls_before_fault, const Fault& fault) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  assert(!state.is_armed);
  state.is_armed = true;
  state.calls_before_fault = calls_before_fault;
  state.fault = fault;
  state.calls.clear();
  state.failed = "";
}

FaultySystem::~FaultySystem() {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.is_armed = false;
}

void FaultySystem::Mend() {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.calls_before_fault = SIZE_MAX;
}

std::vector<std::string> FaultySystem::calls() const {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return {state.calls.begin(), state.calls.end()};
}

std::string FaultySystem::failed() const {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.failed;
}

}  // namespace sstable::test

using ::sstable::test::Die;
using ::sstable::test::IsFaulty;
using ::sstable::test::Kills;

// The linker redirects calls in our own code to these (--wrap).
extern "C" {

int __real_open(const char* path, int flags, mode_t mode);
int __wrap_open(const char* path, int flags, mode_t mode) {
  return IsFaulty("open", path) ? -1 : __real_open(path, flags, mode);
}

int __real_stat(const char* path, struct stat* info);
int __wrap_stat(const char* path, struct stat* info) {
  return IsFaulty("stat", path) ? -1 : __real_stat(path, info);
}

int __real_fstat(int descriptor, struct stat* info);
int __wrap_fstat(int descriptor, struct stat* info) {
  return IsFaulty("fstat", descriptor) ? -1 : __real_fstat(descriptor, info);
}

int __real_fchmod(int descriptor, mode_t mode);
int __wrap_fchmod(int descriptor, mode_t mode) {
  return IsFaulty("fchmod", descriptor) ? -1 : __real_fchmod(descriptor, mode);
}

ssize_t __wrap_readlink(const char* path, char* target, size_t size) {
  return IsFaulty("readlink", path) ? -1 : __real_readlink(path, target, size);
}

void* __real_mmap(void* at, size_t size, int protection, int flags, int descriptor, off_t offset);
void* __wrap_mmap(void* at, size_t size, int protection, int flags, int descriptor, off_t offset) {
  return IsFaulty("mmap", descriptor)
             ? MAP_FAILED
             : __real_mmap(at, size, protection, flags, descriptor, offset);
}

ssize_t __real_pread(int descriptor, void* bytes, size_t size, off_t offset);
ssize_t __wrap_pread(int descriptor, void* bytes, size_t size, off_t offset) {
  return IsFaulty("pread", descriptor, &size) ? -1 : __real_pread(descriptor, bytes, size, offset);
}

ssize_t __real_read(int descriptor, void* bytes, size_t size);
ssize_t __wrap_read(int descriptor, void* bytes, size_t size) {
  return IsFaulty("read", descriptor, &size) ? -1 : __real_read(descriptor, bytes, size);
}

ssize_t __real_write(int descriptor, const void* bytes, size_t size);
ssize_t __wrap_write(int descriptor, const void* bytes, size_t size) {
  const size_t whole_size = size;
  if (IsFaulty("write", descriptor, &size)) return -1;
  const ssize_t result = __real_write(descriptor, bytes, size);
  if (size < whole_size && Kills()) Die();
  return result;
}

int __real_fdatasync(int descriptor);
int __wrap_fdatasync(int descriptor) {
  return IsFaulty("fdatasync", descriptor) ? -1 : __real_fdatasync(descriptor);
}

int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor) {
  return IsFaulty("fsync", descriptor) ? -1 : __real_fsync(descriptor);
}

int __real_syncfs(int descriptor);
int __wrap_syncfs(int descriptor) {
  return IsFaulty("syncfs", descriptor) ? -1 : __real_syncfs(descriptor);
}

int __real_rename(const char* from, const char* to);
int __wrap_rename(const char* from, const char* to) {
  return IsFaulty("rename", from) ? -1 : __real_rename(from, to);
}

int __real_close(int descriptor);
int __wrap_close(int descriptor) {
  const bool is_faulty = IsFaulty("close", descriptor);
  const int error = errno;
  const int result = __real_close(descriptor);
  if (is_faulty) errno = error;
  return is_faulty ? -1 : result;
}

}  // extern "C"
