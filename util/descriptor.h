// Open files of the system: descriptors, and the errors of calls on them.
#ifndef SSTABLE_UTIL_DESCRIPTOR_H_
#define SSTABLE_UTIL_DESCRIPTOR_H_

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace sstable {

// What errno says; Unavailable if the device has gone.
absl::Status ErrnoError(absl::string_view what);
absl::Status ErrnoError(absl::string_view name, absl::string_view what);  // "`name`: `what`: ..."

// Whether it is a failure to find out: neither damage nor absence. The device may fail, a
// permission be missing, or the bytes be of a kind that is not supported; they may be sound all the
// same.
inline bool IsReadFailure(const absl::Status& status) {
  return !status.ok() && !absl::IsDataLoss(status) && !absl::IsNotFound(status);
}

// Makes a system call again for as long as signals interrupt it. Not for close(): that has closed.
template <typename Call>
auto Uninterrupted(Call call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

// InvalidArgument if a path has a NUL byte: the system would take it for the part before that,
// which names another file.
absl::Status CheckHasNoNul(absl::string_view path);

// Whether a file at `path` can be written and nothing lost: there is none, or an empty one. Errors:
// AlreadyExists.
absl::Status CheckAbsentOrEmpty(const std::string& path);

// Negative, with errno, if it can't be opened.
int OpenDescriptor(const std::string& path, int flags, mode_t mode = 0);

// Describes the file that `path` leads to. False, with errno, if that can't be done.
bool StatFile(const std::string& path, struct stat* info);

// Fills `dst` as RandomAccessFile::Read() does, of a file that had `file_size` bytes when opened.
absl::Status ReadAt(int descriptor, uint64_t file_size, uint64_t offset, size_t size, char* dst);

// Owns a descriptor. Negative: none.
class ScopedDescriptor {
 public:
  explicit ScopedDescriptor(int value) : value_(value) {}
  ScopedDescriptor(ScopedDescriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  ScopedDescriptor& operator=(ScopedDescriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~ScopedDescriptor() { Close(); }

  int get() const { return value_; }
  void Close() {
    if (value_ >= 0) ::close(std::exchange(value_, -1));
  }

 private:
  int value_;
};

}  // namespace sstable

#endif  // SSTABLE_UTIL_DESCRIPTOR_H_
