// Ends the program if something is wrong, since timing wrong answers is pointless.
#ifndef SSTABLE_BENCHMARKS_REQUIRE_H_
#define SSTABLE_BENCHMARKS_REQUIRE_H_

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sstable::bench {

// Prints the reason and exits without running destructors, since a database may have running
// threads.
[[noreturn]] inline void Fail(absl::string_view why) {
  std::fprintf(stderr, "benchmarks: %.*s\n", static_cast<int>(why.size()), why.data());
  std::fflush(nullptr);
  std::_Exit(1);
}

inline void Require(bool condition, absl::string_view what) {
  if (!condition) Fail(what);
}

inline void RequireOk(const absl::Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

// RequireOk() for the statuses of LevelDB and RocksDB.
template <typename Status>
void RequireRivalOk(const Status& status, absl::string_view what) {
  if (!status.ok()) Fail(std::string(what) + ": " + status.ToString());
}

template <typename T>
T ValueOrFail(absl::StatusOr<T> value) {
  RequireOk(value.status());
  return *std::move(value);
}

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_REQUIRE_H_
