// What runs of `sst check` have found so far, in a file, so that a run that was interrupted can be
// continued.
#ifndef SSTABLE_TOOLS_CHECK_STATE_H_
#define SSTABLE_TOOLS_CHECK_STATE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/cli/exit_code.h"
#include "tools/input_files.h"

namespace sstable::tools {

// As which a file was checked: one that changes gets another.
struct FileStamp {
  uint64_t size = 0;
  int64_t changed = 0;  // its time of last change (st_ctim), in ns since 1970

  friend bool operator==(const FileStamp& a, const FileStamp& b) {
    return a.size == b.size && a.changed == b.changed;
  }
};

// Nullopt if it is not a regular file.
std::optional<FileStamp> StampOf(const InputFile& file);

// Text: a line that says what it is, then one for each file: "ok" or "damaged", the stamp's two
// numbers, and the name, escaped. Each is written by one call when its file has been checked, so
// that a killed process leaves all lines but perhaps a part of the last, which the next one drops.
//
// Threads:   any number may use it at once. No two processes can have it open.
// Memory:    about 200 bytes for each file.
class CheckState {
 public:
  // Reads the file, or creates it. `purpose` is what a verdict depends on besides the file. Errors:
  // FailedPrecondition if another process has it open, or it was begun with another purpose or is
  // no such file: it is left as it is then. Those of the system.
  static absl::StatusOr<std::unique_ptr<CheckState>> Open(const std::string& path,
                                                          const std::string& purpose);
  ~CheckState();
  CheckState(const CheckState&) = delete;
  CheckState& operator=(const CheckState&) = delete;

  // The verdict on a file, unless it was not checked as this.
  std::optional<ExitCode> Find(const std::string& name, const FileStamp& stamp);

  // Adds a verdict: kOk or kDamagedOrAbsent.
  absl::Status Add(const std::string& name, const FileStamp& stamp, ExitCode verdict);

  uint64_t found_count() const;  // of calls of Find() that found one

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
  absl::flat_hash_map<std::string, Entry> entries_;  // by the file's name
  uint64_t found_count_ = 0;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CHECK_STATE_H_
