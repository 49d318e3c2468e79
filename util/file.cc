#include "sstable/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/slice.h"
#include "util/descriptor.h"
#include "util/mapped_file.h"
#include "util/status_util.h"

namespace sstable {
namespace {

class PosixReadFile final : public RandomAccessFile {
 public:
  PosixReadFile(std::string name, uint64_t size, ScopedDescriptor descriptor)
      : RandomAccessFile(std::move(name), size), descriptor_(std::move(descriptor)) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    return ReadAt(descriptor_.get(), this->size(), offset, size, dst);
  }

  void WillNeed(uint64_t offset, uint64_t size) const override {
    static_cast<void>(::posix_fadvise(descriptor_.get(), static_cast<off_t>(offset),
                                      static_cast<off_t>(size), POSIX_FADV_WILLNEED));
  }

 private:
  ScopedDescriptor descriptor_;
};

class MemoryFile final : public RandomAccessFile {
 public:
  MemoryFile(std::string name, absl::string_view contents)
      : RandomAccessFile(std::move(name), contents.size()), contents_(contents) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    if (size > 0) std::memcpy(dst, contents_.data() + offset, size);
    return absl::OkStatus();
  }
  std::optional<absl::string_view> Contents() const override { return contents_; }

 private:
  absl::string_view contents_;
};

absl::StatusOr<std::unique_ptr<RandomAccessFile>> WrapDescriptor(ScopedDescriptor descriptor,
                                                                 absl::string_view name,
                                                                 FileAccess access) {
  struct stat info;
  if (Uninterrupted([&] { return ::fstat(descriptor.get(), &info); }) != 0) {
    return ErrnoError(name, "can't stat");
  }
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, S_ISDIR(info.st_mode) ? ": is a folder" : ": is not a regular file"));
  }
  const auto size = static_cast<uint64_t>(info.st_size);
#ifdef __EMSCRIPTEN__
  access = FileAccess::kRead;  // its mmap() copies the whole file
#endif
  if (access == FileAccess::kRead || size == 0) {
    return std::make_unique<PosixReadFile>(std::string(name), size, std::move(descriptor));
  }
  return MappedFile::Open(std::string(name), size, std::move(descriptor), info.st_uid);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenFile(Slice path, FileAccess access) {
  RETURN_IF_ERROR(CheckHasNoNul(path));
  // O_NONBLOCK: do not wait for the writer of a pipe; pipes are refused below.
  ScopedDescriptor descriptor(OpenDescriptor(std::string(path), O_RDONLY | O_NONBLOCK));
  if (descriptor.get() < 0) return ErrnoError(path, "can't open");
  return WrapDescriptor(std::move(descriptor), path, access);
}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenFileDescriptor(int descriptor, Slice name,
                                                                     FileAccess access) {
  ScopedDescriptor duplicate(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (duplicate.get() < 0) return ErrnoError(name, "can't duplicate the descriptor");
  return WrapDescriptor(std::move(duplicate), name, access);
}

std::unique_ptr<RandomAccessFile> NewMemoryFile(Slice contents, Slice name) {
  return std::make_unique<MemoryFile>(std::string(name), contents);
}

}  // namespace sstable
