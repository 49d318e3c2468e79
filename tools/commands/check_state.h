// Records the results of `sst check` in a file, so that an interrupted run can be continued.
#ifndef SSTABLE_TOOLS_COMMANDS_CHECK_STATE_H_
#define SSTABLE_TOOLS_COMMANDS_CHECK_STATE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/cli/exit_code.h"
#include "tools/files/input_files.h"

namespace sstable::tools {

// Identifies the state of a file when it was checked; it changes with the file.
struct FileStamp {
  uint64_t size = 0;
  int64_t changed = 0;  // time of last change (st_ctim), in ns since 1970

  friend bool operator==(const FileStamp& a, const FileStamp& b) {
    return a.size == b.size && a.changed == b.changed;
  }
};

// Returns nullopt if it is not a regular file.
std::optional<FileStamp> StampOf(const InputFile& file);

// A text file: a line that identifies it, then one for each checked file: "ok" or "damaged", the
// stamp's two numbers, and the name, escaped. Each line is written by one call when its file has
// been checked. So a killed process leaves all lines, except perhaps a part of the last, which the
// next process removes.
//
// Threads:   any number may use it at once. Only one process can have it open.
// Memory:    about 200 bytes for each file.
class CheckState {
 public:
  // Reads the file, or creates it. `purpose` identifies everything else that a verdict depends on.
  // Errors: FailedPrecondition, and the file is left unchanged, if another process has it open, or
  // if it has another purpose or is not such a file. Those of the system.
  static absl::StatusOr<std::unique_ptr<CheckState>> Open(const std::string& path,
                                                          const std::string& purpose);
  ~CheckState();
  CheckState(const CheckState&) = delete;
  CheckState& operator=(const CheckState&) = delete;

  // Returns the verdict on a file, if it was checked with this stamp.
  std::optional<ExitCode> Find(const std::string& name, const FileStamp& stamp);

  // Adds a verdict: kOk or kDamagedOrAbsent.
  absl::Status Add(const std::string& name, const FileStamp& stamp, ExitCode verdict);

  uint64_t found_count() const;  // Find() calls that returned a verdict

 private:
  struct Entry {
    FileStamp stamp;
    ExitCode verdict = ExitCode::kOk;
  };

  CheckState(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  absl::Status Load(const std::string& first_line);
  bool AddLine(absl::string_view line);
  absl::Status Append(absl::string_view line);

  const std::string path_;
  const int descriptor_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, Entry> entries_;  // by file name
  uint64_t found_count_ = 0;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_COMMANDS_CHECK_STATE_H_
