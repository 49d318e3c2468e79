// The exit codes of `sst`.
#ifndef SSTABLE_TOOLS_CLI_EXIT_CODE_H_
#define SSTABLE_TOOLS_CLI_EXIT_CODE_H_

#include <algorithm>

#include "absl/status/status.h"

namespace sstable::tools {

// Users' scripts depend on the numbers.
enum class ExitCode {
  kOk = 0,
  kDamagedOrAbsent = 1,  // the file is damaged, or the key is absent
  kCannot = 2,           // wrong usage, or a file that can't be opened, read or written
};

inline ExitCode Worst(ExitCode a, ExitCode b) { return std::max(a, b); }

// Damage is a finding; everything else that fails is a failure to find out. Where several files are
// worked on, or a file with many parts, the worst counts.
inline ExitCode ExitCodeOf(const absl::Status& status) {
  if (status.ok()) return ExitCode::kOk;
  return absl::IsDataLoss(status) ? ExitCode::kDamagedOrAbsent : ExitCode::kCannot;
}

// What a report says of a file or folder with something wrong.
inline const char* VerdictOf(ExitCode code) {
  return code == ExitCode::kCannot ? "not all of it can be read" : "damaged";
}

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_EXIT_CODE_H_
