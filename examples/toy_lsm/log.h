// A log file being written: the write-ahead log, or the manifest.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_LOG_H_
#define SSTABLE_EXAMPLES_TOY_LSM_LOG_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/file.h"
#include "sstable/log_file.h"

namespace toy_lsm {

// Makes the names in `folder` durable.
absl::Status SyncFolder(const std::string& folder);

// After an error the file may end in half a record, and is not to be used.
class LogFile {
 public:
  // Begins a new file.
  static absl::StatusOr<std::unique_ptr<LogFile>> Create(const std::string& path);
  ~LogFile();

  // The system has it then: a killed process loses nothing.
  absl::Status AddRecord(absl::string_view record) { return writer_.AddRecord(record); }
  absl::Status Sync();  // the device has all that was added, and the file's name

 private:
  LogFile(const std::string& path, int descriptor);

  const int descriptor_;
  const std::unique_ptr<sstable::WritableFile> file_;
  sstable::LogWriter writer_;
  bool has_durable_name_ = false;
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_LOG_H_
