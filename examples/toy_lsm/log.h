// A file of records with checksums, appended to: the write-ahead log, and the manifest.
//
// Format:  record*, and a record is fixed32(payload size) fixed32(masked crc32c of these 4 bytes)
//          fixed32(masked crc32c of the payload) payload. The size has a checksum of its own, so
//          that a damaged one in the middle can't pass for a record that the file's end cut short.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_LOG_H_
#define SSTABLE_EXAMPLES_TOY_LSM_LOG_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "util/file.h"

namespace toy_lsm {

// Errors: the first one stays. What stands behind a record that is written in part would be lost,
//         and what was appended before a failed sync may never reach the device.
class LogWriter {
 public:
  // Begins a new file; its name, too, is durable.
  static absl::StatusOr<std::unique_ptr<LogWriter>> Create(const std::string& path);
  explicit LogWriter(std::unique_ptr<sstable::WritableFile> file, int descriptor = -1)
      : file_(std::move(file)), descriptor_(descriptor) {}
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  absl::Status Append(absl::string_view payload);  // the system has it: a killed process loses none
  absl::Status Sync();                             // the device has all that was appended

 private:
  std::unique_ptr<sstable::WritableFile> file_;
  int descriptor_;
  std::string record_;
  absl::Status status_;
};

enum class LogEnd {
  kMayBeTorn,  // a crash may have cut the last record short, which nobody was told is written
  kWhole,
};

// Passes each payload to `visit`, in order. Returns the bytes of a torn record at the end, which is
// left out. Errors: DataLoss for anything else that is no record; those of `visit`.
absl::StatusOr<uint64_t> ReadLog(const std::string& path, LogEnd end,
                                 absl::FunctionRef<absl::Status(absl::string_view)> visit);

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_LOG_H_
