#include "examples/toy_lsm/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "util/status_util.h"

namespace toy_lsm {

absl::Status SyncFolder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  return is_synced ? absl::OkStatus()
                   : absl::ErrnoToStatus(error, absl::StrCat(folder, ": can't sync"));
}

absl::StatusOr<std::unique_ptr<LogFile>> LogFile::Create(const std::string& path) {
  const int descriptor =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": can't create"));
  // std::make_unique can't call the private constructor.
  return std::unique_ptr<LogFile>(new LogFile(path, descriptor));
}

LogFile::LogFile(const std::string& path, int descriptor)
    : descriptor_(descriptor),
      file_(sstable::NewDescriptorFile(descriptor, path)),
      writer_(file_.get()) {}

LogFile::~LogFile() { ::close(descriptor_); }

absl::Status LogFile::Sync() {
  RETURN_IF_ERROR(file_->Sync());
  if (std::exchange(has_durable_name_, true)) return absl::OkStatus();
  return SyncFolder(std::filesystem::path(file_->name()).parent_path());
}

}  // namespace toy_lsm
