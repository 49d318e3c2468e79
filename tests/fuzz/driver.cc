// Runs a fuzz target without libFuzzer. Usage: TARGET [RUNS [FILE...]]
//
// Runs the files, the seeds, then RUNS mutated inputs (default: FUZZ_RUNS from the environment). If
// asserts are enabled, as with sanitizers, a run takes ten times as long, so it makes only an
// eighth of RUNS. FUZZ_SEED (default 1) determines the mutations. An input that crashes or hangs is
// saved to a file, whose name is printed.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"

extern "C" {
size_t __attribute__((weak))
LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);
void __attribute__((weak)) __sanitizer_set_death_callback(void (*callback)());
}

namespace sstable::fuzz {
namespace {

constexpr size_t kMaxSize = 8192;
constexpr unsigned kSecondsUntilItHangs = 120;  // a run normally takes milliseconds

std::mt19937_64 random_numbers;

size_t Below(size_t limit) { return static_cast<size_t>(random_numbers() % limit); }

// The current input, for debugging a crash.
struct Running {
  const char* data = nullptr;
  size_t size = 0;
  unsigned long long seed = 0;
  char path[512] = "";
} running;

// Calls only functions that a signal handler may call.
void SaveInput() {
  const int file = ::open(running.path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const bool is_saved =
      file >= 0 && ::write(file, running.data, running.size) == static_cast<ssize_t>(running.size);
  char message[700];
  const int size =
      std::snprintf(message, sizeof(message), "fuzz: FUZZ_SEED=%llu, input %s %s\n", running.seed,
                    is_saved ? "is in" : "could not be saved in", running.path);
  static_cast<void>(!::write(STDERR_FILENO, message, static_cast<size_t>(size)));
}

void OnSignal(int signal) {
  SaveInput();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void CatchCrashes(unsigned long long seed) {
  running.seed = seed;
  const char* folder = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  if (folder == nullptr) folder = "/tmp";
  std::snprintf(running.path, sizeof(running.path), "%s/crash-%d", folder, ::getpid());
  for (const int signal : {SIGABRT, SIGALRM}) ::signal(signal, OnSignal);
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(SaveInput);
  } else {
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::signal(signal, OnSignal);
  }
}

// Uses a copy with nothing after it, so that AddressSanitizer detects reads past the end.
void Run(const std::string& input) {
  const std::vector<uint8_t> copy(input.begin(), input.end());
  running.data = reinterpret_cast<const char*>(copy.data());
  running.size = copy.size();
  ::alarm(kSecondsUntilItHangs);
  LLVMFuzzerTestOneInput(copy.data(), copy.size());
  ::alarm(0);
}

std::string Mutate(const std::string& input) {
  std::vector<uint8_t> bytes(input.begin(), input.end());
  const size_t max_size = std::max(kMaxSize, input.size());
  size_t size = bytes.size();
  bytes.resize(max_size);
  for (size_t changes = 1 + Below(4); changes > 0; --changes) {
    size = LLVMFuzzerCustomMutator != nullptr
               ? LLVMFuzzerCustomMutator(bytes.data(), size, max_size,
                                         static_cast<unsigned>(random_numbers()))
               : LLVMFuzzerMutate(bytes.data(), size, max_size);
  }
  return std::string(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
}

unsigned long long Number(const char* text, const char* what) {
  char* end = nullptr;
  const unsigned long long number = std::strtoull(text, &end, 10);
  Require(end != text && *end == '\0', what);
  return number;
}

unsigned long long NumberFromEnvironment(const char* name, unsigned long long otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : Number(text, name);
}

unsigned long long DefaultRuns(const char* argument) {
  const unsigned long long runs = Number(argument, "RUNS, the first argument");
#ifdef NDEBUG
  return runs;
#else
  return runs / 8;
#endif
}

}  // namespace
}  // namespace sstable::fuzz

// Makes one small change.
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size) {
  using sstable::fuzz::Below;
  constexpr uint8_t kTelling[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
  switch (size == 0 ? 4 : Below(7)) {
    case 0:
      data[Below(size)] ^= static_cast<uint8_t>(1u << Below(8));
      return size;
    case 1:
      data[Below(size)] = kTelling[Below(sizeof(kTelling))];
      return size;
    case 2: {  // copy some bytes of the input elsewhere
      const size_t count = 1 + Below(std::min<size_t>(size, 32));
      std::memmove(data + Below(size - count + 1), data + Below(size - count + 1), count);
      return size;
    }
    case 3: {  // remove some bytes
      const size_t at = Below(size);
      const size_t count = 1 + Below(std::min<size_t>(size - at, 16));
      std::memmove(data + at, data + at + count, size - at - count);
      return size - count;
    }
    case 4: {  // insert a byte several times
      const size_t at = Below(size + 1);
      const size_t count = std::min(max_size - size, 1 + Below(16));
      std::memmove(data + at + count, data + at, size - at);
      std::memset(data + at, static_cast<int>(Below(256)), count);
      return size + count;
    }
    case 5: {  // write a number, as a fixed32
      const uint32_t numbers[] = {0, 0xffffffff, 0x7fffffff, static_cast<uint32_t>(size),
                                  static_cast<uint32_t>(1u << Below(32))};
      const uint32_t number = numbers[Below(5)];
      if (size >= sizeof(number)) {
        std::memcpy(data + Below(size - sizeof(number) + 1), &number, sizeof(number));
      }
      return size;
    }
    default:
      data[Below(size)] = static_cast<uint8_t>(Below(256));
      return size;
  }
}

int main(int argc, char** argv) {
  using namespace sstable::fuzz;
  const unsigned long long seed = NumberFromEnvironment("FUZZ_SEED", 1);
  const unsigned long long runs =
      NumberFromEnvironment("FUZZ_RUNS", argc > 1 ? DefaultRuns(argv[1]) : 0);
  random_numbers.seed(seed);
  CatchCrashes(seed);

  std::vector<std::string> inputs;
  for (int i = 2; i < argc; ++i) {
    std::ifstream stream(argv[i], std::ios::binary);
    Require(stream.good(), argv[i]);
    inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  for (const std::string& input : Seeds()) inputs.push_back(input);
  for (const std::string& input : inputs) Run(input);
  for (unsigned long long i = 0; i < runs; ++i) Run(Mutate(inputs[Below(inputs.size())]));
  std::printf("%zu inputs, and %llu made of them; FUZZ_SEED=%llu\n", inputs.size(), runs, seed);
}
