#include "tests/mutants/memory_meter.h"

#include <malloc.h>

#include <atomic>
#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

extern "C" {
int __attribute__((weak))
__sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*, size_t),
                                          void (*free_hook)(const volatile void*));
size_t __attribute__((weak)) __sanitizer_get_allocated_size(const volatile void* p);
}

namespace sstable::mutants {
namespace {

std::atomic<uint64_t> allocated{0};
std::atomic<uint64_t> most_allocated{0};

void OnMalloc(const volatile void* p, size_t) {
  if (p == nullptr) return;
  const uint64_t now = allocated += __sanitizer_get_allocated_size(p);
  uint64_t most = most_allocated;
  while (now > most && !most_allocated.compare_exchange_weak(most, now)) {
  }
}

void OnFree(const volatile void* p) {
  if (p != nullptr) allocated -= __sanitizer_get_allocated_size(p);
}

bool HasHooks() {
  static const bool has_hooks = __sanitizer_install_malloc_and_free_hooks != nullptr &&
                                __sanitizer_install_malloc_and_free_hooks(OnMalloc, OnFree) > 0;
  return has_hooks;
}

// Returns a field of /proc/self/status in bytes.
uint64_t MemoryOfProcess(absl::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    absl::string_view rest = line;
    uint64_t kib = 0;
    if (!absl::ConsumePrefix(&rest, field) || !absl::ConsumeSuffix(&rest, " kB")) continue;
    return absl::SimpleAtoi(rest.substr(rest.rfind('\t') + 1), &kib) ? kib << 10 : 0;
  }
  return 0;
}

}  // namespace

MemoryMeter::MemoryMeter() {
  if (HasHooks()) {
    most_allocated = start_ = allocated;
    return;
  }
  ::malloc_trim(0);                               // frees unused memory, so that reusing it counts
  std::ofstream("/proc/self/clear_refs") << "5";  // resets VmHWM
  start_ = MemoryOfProcess("VmRSS:");
}

uint64_t MemoryMeter::Peak() const {
  const uint64_t peak = HasHooks() ? most_allocated.load() : MemoryOfProcess("VmHWM:");
  return peak > start_ ? peak - start_ : 0;
}

std::string MemoryMeter::Meaning() {
  return HasHooks() ? "bytes allocated at once" : "growth of the resident set";
}

}  // namespace sstable::mutants
