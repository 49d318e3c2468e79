#include "tests/mutants/sst_runner.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "tests/mutants/memory_meter.h"
#include "tools/run_sst.h"

namespace sstable::mutants {
namespace {

std::string ReadFromStart(int descriptor) {
  std::string contents(static_cast<size_t>(::lseek(descriptor, 0, SEEK_END)), '\0');
  const ssize_t count = ::pread(descriptor, &contents[0], contents.size(), 0);
  contents.resize(count < 0 ? 0 : static_cast<size_t>(count));
  return contents;
}

void Empty(int descriptor) {
  if (::ftruncate(descriptor, 0) != 0 || ::lseek(descriptor, 0, SEEK_SET) != 0) ::abort();
}

double CpuSeconds() {
  struct timespec time;
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Restores the signal handlers, since `sst salvage` installs some and expects the process to exit.
class SignalKeeper {
 public:
  SignalKeeper() {
    for (size_t i = 0; i < std::size(kSignals); ++i) ::sigaction(kSignals[i], nullptr, &kept_[i]);
  }
  ~SignalKeeper() {
    for (size_t i = 0; i < std::size(kSignals); ++i) ::sigaction(kSignals[i], &kept_[i], nullptr);
  }
  SignalKeeper(const SignalKeeper&) = delete;
  SignalKeeper& operator=(const SignalKeeper&) = delete;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction kept_[std::size(kSignals)];
};

std::string MakeFolder() {
  const char* const test_folder = ::getenv("TEST_TMPDIR");
  std::string folder = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                       : test_folder != nullptr        ? test_folder
                                                       : "/tmp";
  absl::StrAppend(&folder, "/sst-mutants-XXXXXX");
  if (::mkdtemp(&folder[0]) == nullptr) ::abort();
  return folder;
}

}  // namespace

SstRunner::SstRunner()
    : folder_(MakeFolder()),
      out_(::memfd_create("stdout", MFD_CLOEXEC)),
      err_(::memfd_create("stderr", MFD_CLOEXEC)),
      original_out_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)),
      original_err_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)) {
  if (out_ < 0 || err_ < 0 || original_out_ < 0 || original_err_ < 0) ::abort();
}

SstRunner::~SstRunner() {
  for (const int descriptor : {out_, err_, original_out_, original_err_}) ::close(descriptor);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

SstResult SstRunner::Run(const std::vector<std::string>& arguments) {
  return Run([&](tools::Console* console) { return tools::RunSst(arguments, console); });
}

SstResult SstRunner::Run(absl::FunctionRef<tools::ExitCode(tools::Console*)> command) {
  Empty(out_);
  Empty(err_);
  std::fflush(stdout);
  ::dup2(out_, STDOUT_FILENO);
  ::dup2(err_, STDERR_FILENO);
  SstResult result;
  {
    const SignalKeeper signals;
    const MemoryMeter memory;
    const double start = CpuSeconds();
    try {
      tools::Console console;
      result.exit_code = static_cast<int>(console.Close(command(&console)));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "thrown: %s\n", error.what());
      result.exit_code = SstResult::kThrew;
    }
    result.cpu_seconds = CpuSeconds() - start;
    result.memory_bytes = memory.Peak();
  }
  ::dup2(original_out_, STDOUT_FILENO);
  ::dup2(original_err_, STDERR_FILENO);
  result.out = ReadFromStart(out_);
  result.err = ReadFromStart(err_);
  return result;
}

std::string SstRunner::StandardError() const { return ReadFromStart(err_); }

void SstRunner::Write(absl::string_view name, absl::string_view contents) const {
  std::ofstream file(Path(name), std::ios::binary);
  if (!file.write(contents.data(), static_cast<std::streamsize>(contents.size())).flush()) {
    ::abort();
  }
}

bool SstRunner::Exists(absl::string_view name) const {
  return ::access(Path(name).c_str(), F_OK) == 0;
}

void SstRunner::Remove(absl::string_view name) const { ::unlink(Path(name).c_str()); }

}  // namespace sstable::mutants
