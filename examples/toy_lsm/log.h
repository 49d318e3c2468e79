// A log file that is being written: the write-ahead log, or the manifest.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_LOG_H_
#define SSTABLE_EXAMPLES_TOY_LSM_LOG_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/experimental/log_file.h"
#include "sstable/file.h"

namespace toy_lsm {

// Makes the file names in `folder` durable.
absl::Status SyncFolder(const std::string& folder);

// After an error, the file may end with an incomplete record and must no longer be used.
class LogFile {
 public:
  // Creates a new file.
  static absl::StatusOr<std::unique_ptr<LogFile>> Create(const std::string& path);
  ~LogFile();

  // Passes the record to the operating system, so that it survives if the process is killed.
  absl::Status AddRecord(absl::string_view record) { return writer_.AddRecord(record); }
  absl::Status Sync();  // makes all records and the file's name durable

 private:
  LogFile(const std::string& path, int descriptor);

  const int descriptor_;
  const std::unique_ptr<sstable::WritableFile> file_;
  sstable::LogWriter writer_;
  bool has_durable_name_ = false;
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_LOG_H_
