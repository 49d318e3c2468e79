// A file of records with checksums: the write-ahead log. The manifest is such a record, too.
//
// Format:  record*, and a record is fixed32(payload size) fixed32(masked crc32c of these 4 bytes)
//          fixed32(masked crc32c of all that follows) fixed64(sequence) payload. The size has a
//          checksum of its own, so that a damaged one in the middle can't pass for a record that
//          the file's end cut short.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_LOG_H_
#define SSTABLE_EXAMPLES_TOY_LSM_LOG_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/file.h"

namespace toy_lsm {

// `payload` is smaller than 4 GiB.
std::string MakeRecord(uint64_t sequence, absl::string_view payload);

// Makes the names in `folder` durable.
absl::Status SyncFolder(const std::string& folder);

// After an error the file may end in half a record, and is not to be used.
class LogWriter {
 public:
  // Begins a new file.
  static absl::StatusOr<std::unique_ptr<LogWriter>> Create(const std::string& path);
  explicit LogWriter(const std::string& path) : path_(path) {}
  ~LogWriter();

  // The system has it then: a killed process loses nothing.
  absl::Status Append(absl::string_view record) { return file_->Append(record); }
  absl::Status Sync();  // the device has all that was appended, and the file's name

 private:
  const std::string path_;
  int descriptor_ = -1;
  std::unique_ptr<sstable::WritableFile> file_;
  bool has_durable_name_ = false;
};

// Passes each record to `visit`, in order. A crash may have cut the last one short, which nobody
// was told is written: it is left out, and its bytes returned. Errors: DataLoss for anything else
// that is no record; those of `visit`.
using RecordVisitor = absl::FunctionRef<absl::Status(uint64_t sequence, absl::string_view payload)>;
absl::StatusOr<uint64_t> ReadLog(const std::string& path, RecordVisitor visit);

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_LOG_H_
