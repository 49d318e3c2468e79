// Files as tables need them: read at any offset, write once from front to back.
#ifndef SSTABLE_FILE_H_
#define SSTABLE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sstable {

// A file of fixed size to read from. Derive from it to read from anywhere else.
// Threads: const methods may run concurrently.
class RandomAccessFile {
 public:
  // `name` stands in error messages; `size` is in bytes.
  RandomAccessFile(std::string name, uint64_t size) : name_(std::move(name)), size_(size) {}
  virtual ~RandomAccessFile() = default;
  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;

  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }

  // Fills `dst` with exactly the `size` bytes from `offset` on. The caller asks only for bytes
  // inside the file. Errors: whatever the system says; DataLoss if the file has become shorter. The
  // caller puts name() in front. After DataLoss and Unimplemented nobody need ask again; after
  // others, the next try may succeed.
  virtual absl::Status Read(uint64_t offset, size_t size, char* dst) const = 0;

  // The whole file, size() bytes, where it is in memory, unchanged and in one place, for as long as
  // this object lives; else nullopt. A TableReader takes blocks from there, not by Read().
  virtual std::optional<absl::string_view> Contents() const { return std::nullopt; }

 private:
  std::string name_;
  uint64_t size_;
};

enum class FileAccess {
  // Maps the file. Fastest, but if it is cut short or the device fails, SIGBUS is raised; and bytes
  // that somebody overwrites in place after they were verified are used as they are, so a lookup
  // may
  // answer "absent" with OK. A table is to be replaced by a rename.
  kMap,
  // Reads each block with pread(2); any trouble comes back as a status.
  kRead,
};

// Opens a regular file. Errors name the path: NotFound, PermissionDenied, and so on by errno;
// InvalidArgument for a folder, a pipe or a device, and for a path with a NUL byte.
absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenFile(absl::string_view path,
                                                           FileAccess access = FileAccess::kMap);

// The same for an open descriptor of a regular file, which stays the caller's: it is duplicated.
absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenFileDescriptor(
    int descriptor, absl::string_view name, FileAccess access = FileAccess::kMap);

// Reads from `contents`, which must outlive the file.
std::unique_ptr<RandomAccessFile> NewMemoryFile(absl::string_view contents,
                                                absl::string_view name = "memory");

// A file being written. Derive from it to write to anywhere else.
// Pattern:   Append* Sync? Close. Destroying it without a successful Close gives the file up.
// Threads:   one at a time.
// Errors:    a TableBuilder calls nothing more after the first one.
class WritableFile {
 public:
  explicit WritableFile(std::string name) : name_(std::move(name)) {}
  virtual ~WritableFile() = default;
  WritableFile(const WritableFile&) = delete;
  WritableFile& operator=(const WritableFile&) = delete;

  const std::string& name() const { return name_; }

  virtual absl::Status Append(absl::string_view data) = 0;
  virtual absl::Status Sync() = 0;   // what was appended is on the device
  virtual absl::Status Close() = 0;  // the file is complete

 private:
  std::string name_;
};

// Creates `path` as a whole or not at all: it is written under a temporary name in the same folder,
// `path`.tmp-PID-N; Close() renames it to `path`, replacing a file of that name, whose mode it
// takes over; read-only or another user's, too, as a rename asks only the folder. Without a
// successful Close() nothing is left, and an old file is as it was; Close() fails if Append() or
// Sync() has. A process that is killed leaves the temporary file. A symbolic link at `path` is
// followed, and name() is then where it leads.
//
// If Sync() was called, Close() ends by syncing the folder. That is the one step that can fail with
// the new file in place: it is whole and on the device, but the name may be lost in a crash, or be
// the old file's again. The error says so. Taking the file back could fail in the same way.
//
// Errors: by errno; InvalidArgument if there is something at `path` that is not a regular file, and
// for a path with a NUL byte.
absl::StatusOr<std::unique_ptr<WritableFile>> CreateFileAtomically(absl::string_view path);

// Writes to an open descriptor, a pipe for instance. It stays the caller's and is not closed, and
// what was written stays written. Errors: by errno.
std::unique_ptr<WritableFile> NewDescriptorFile(int descriptor, absl::string_view name);

// Appends to `*contents`, which must outlive the file.
std::unique_ptr<WritableFile> NewStringFile(std::string* contents,
                                            absl::string_view name = "memory");

}  // namespace sstable

#endif  // SSTABLE_FILE_H_
