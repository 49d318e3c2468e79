#include "util/descriptor.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "util/system.h"

namespace sstable {

absl::Status ErrnoError(absl::string_view what) {
  const int error = errno;
  if (error == ETXTBSY) {  // on Windows, where the C library has no clear text for it
    return absl::FailedPreconditionError(
        absl::StrCat(what, ": another program has it open, and shares it with nobody"));
  }
  const absl::Status status = absl::ErrnoToStatus(error, what);
  switch (error) {  // Abseil's code would mean something else here (docs/embedding.md)
    case ENXIO:     // The device is gone. NotFound would say that there never was such a file.
    case ENODEV:
      return absl::UnavailableError(status.message());
    case EFBIG:
    case EOVERFLOW:
      return absl::ResourceExhaustedError(status.message());
    case EBADF:
    case ENOTDIR:
      return absl::InvalidArgumentError(status.message());
    default:
      return status;
  }
}

absl::Status ErrnoError(absl::string_view name, absl::string_view what) {
  return ErrnoError(absl::StrCat(name, ": ", what));
}

absl::Status CheckHasNoNul(absl::string_view path) {
  if (path.find('\0') == path.npos) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("path \"", absl::CHexEscape(path), "\" has a NUL byte"));
}

absl::Status CheckAbsentOrEmpty(const std::string& path) {
  FileInfo info;
  const bool has_contents = StatFile(path, &info) && info.size > 0;
  return has_contents ? absl::AlreadyExistsError(absl::StrCat(path, ": exists")) : absl::OkStatus();
}

int OpenDescriptor(const std::string& path, sys::OpenFor use) {
  return Uninterrupted([&] { return sys::Open(path, use); });
}

bool StatFile(const std::string& path, FileInfo* info) {
  return Uninterrupted([&] { return sys::Stat(path, info) ? 0 : -1; }) == 0;
}

bool StatDescriptor(int descriptor, FileInfo* info) {
  return Uninterrupted([&] { return sys::StatDescriptor(descriptor, info) ? 0 : -1; }) == 0;
}

absl::Status ReadAt(int descriptor, uint64_t file_size, uint64_t offset, size_t size, char* dst) {
  while (size > 0) {
    const ptrdiff_t count =
        Uninterrupted([&] { return sys::ReadAt(descriptor, offset, dst, size); });
    if (count < 0) return ErrnoError(absl::StrCat("can't read at offset ", offset));
    if (count == 0) {
      return absl::DataLossError(
          absl::StrCat("ends at offset ", offset, ", was ", file_size, " bytes long when opened"));
    }
    offset += static_cast<uint64_t>(count);
    dst += count;
    size -= static_cast<size_t>(count);
  }
  return absl::OkStatus();
}

}  // namespace sstable
