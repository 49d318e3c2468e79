// File descriptors, and errors of system calls on them.
#ifndef SSTABLE_UTIL_DESCRIPTOR_H_
#define SSTABLE_UTIL_DESCRIPTOR_H_

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "util/system.h"

namespace sstable {

// The error in errno; Unavailable if the device is gone.
absl::Status ErrnoError(absl::string_view what);
absl::Status ErrnoError(absl::string_view name, absl::string_view what);  // "`name`: `what`: ..."

// True for errors that show neither damage nor absence: the device failed, a permission is missing,
// or the kind of file is not supported. The bytes may be sound.
inline bool IsReadFailure(const absl::Status& status) {
  return !status.ok() && !absl::IsDataLoss(status) && !absl::IsNotFound(status);
}

// Repeats a system call while signals interrupt it. Not for close(), which closes even if it is
// interrupted.
template <typename Call>
auto Uninterrupted(Call call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

// Returns InvalidArgument for a path with a NUL byte: the system would end the path there and open
// another file.
absl::Status CheckHasNoNul(absl::string_view path);

// Returns OK if writing a file at `path` loses nothing: there is none, or it is empty. Otherwise
// AlreadyExists.
absl::Status CheckAbsentOrEmpty(const std::string& path);

// Returns a negative number and sets errno on failure.
int OpenDescriptor(const std::string& path, sys::OpenFor use);

// Describes the file that a path or an open descriptor refers to. Returns false and sets errno on
// failure.
bool StatFile(const std::string& path, FileInfo* info);
bool StatDescriptor(int descriptor, FileInfo* info);

// Fills `dst` as RandomAccessFile::Read() does, from a file that had `file_size` bytes when it was
// opened.
absl::Status ReadAt(int descriptor, uint64_t file_size, uint64_t offset, size_t size, char* dst);

// Owns a descriptor, or none if it is negative.
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
    if (value_ >= 0) sys::Close(std::exchange(value_, -1));
  }

 private:
  int value_;
};

}  // namespace sstable

#endif  // SSTABLE_UTIL_DESCRIPTOR_H_
