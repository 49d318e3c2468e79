// The exit codes of `sst`.
#ifndef SSTABLE_TOOLS_CLI_EXIT_CODE_H_
#define SSTABLE_TOOLS_CLI_EXIT_CODE_H_

#include <algorithm>

#include "absl/status/status.h"

namespace sstable::tools {

// Users' scripts depend on these numbers.
enum class ExitCode {
  kOk = 0,
  kDamagedOrAbsent = 1,  // the file is damaged, or the key is absent
  kCannot = 2,           // wrong usage, or a file that can't be opened, read or written
};

inline ExitCode Worst(ExitCode a, ExitCode b) { return std::max(a, b); }

// Damage is a result; every other error means that there is no result. For several files, or a file
// with many parts, the worst code counts.
inline ExitCode ExitCodeOf(const absl::Status& status) {
  if (status.ok()) return ExitCode::kOk;
  return absl::IsDataLoss(status) ? ExitCode::kDamagedOrAbsent : ExitCode::kCannot;
}

// The verdict in reports on a file or folder with problems.
inline const char* VerdictOf(ExitCode code) {
  return code == ExitCode::kCannot ? "not all of it can be read" : "damaged";
}

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_EXIT_CODE_H_
