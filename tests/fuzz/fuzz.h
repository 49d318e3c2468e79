// The interface of a fuzz target.
//
// A target is a file that defines LLVMFuzzerTestOneInput() and Seeds(). Linked with driver.cc, it
// is a plain test. Linked with libFuzzer and libfuzzer_seeds.cc, it is run by tests/fuzz/run.sh.
#ifndef SSTABLE_TESTS_FUZZ_FUZZ_H_
#define SSTABLE_TESTS_FUZZ_FUZZ_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

extern "C" {

// Tests any bytes. Returns 0; a fault is a crash.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Changes the input in place, up to `max_size`. Returns the new size.
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

// A mutator that knows the format, in addition to LLVMFuzzerMutate(). Only some targets define it.
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);

}  // extern "C"

namespace sstable::fuzz {

// Initial inputs.
std::vector<std::string> Seeds();

inline absl::string_view View(const uint8_t* data, size_t size) {
  return absl::string_view(reinterpret_cast<const char*>(data), size);
}

// Reports a fault in the code under test.
inline void Require(bool condition, absl::string_view what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: not so: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}
inline void RequireOk(const absl::Status& status) { Require(status.ok(), status.ToString()); }
template <typename T>
T ValueOrFail(absl::StatusOr<T> value) {
  RequireOk(value.status());
  return *std::move(value);
}

}  // namespace sstable::fuzz

#endif  // SSTABLE_TESTS_FUZZ_FUZZ_H_
