// The files that tables need: read at any offset; written once, from front to back.
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
#include "sstable/slice.h"
#include "sstable/version.h"

namespace sstable {

// A file of fixed size to read from. Derive from it to read from anywhere else.
// Threads: const methods may run concurrently.
class SSTABLE_EXPORT RandomAccessFile {
 public:
  // `name` is used in error messages; `size` is in bytes.
  RandomAccessFile(std::string name, uint64_t size) : name_(std::move(name)), size_(size) {}
  virtual ~RandomAccessFile() = default;
  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;

  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }

  // Fills `dst` with exactly the `size` bytes at `offset`, which are inside the file. Errors: the
  // system's; DataLoss if the file has become shorter. The caller adds name() to them. DataLoss and
  // Unimplemented are permanent; after other errors, another try may succeed.
  virtual absl::Status Read(uint64_t offset, size_t size, char* dst) const = 0;

  // The whole file, size() bytes, if it is in memory and neither moves nor changes while this
  // object lives; otherwise nullopt. A TableReader then uses these bytes instead of Read().
  virtual std::optional<absl::string_view> Contents() const { return std::nullopt; }

  // Like Contents(), for reading many blocks in order; the address may differ. In a mapped file,
  // the system reads ahead here, but not in Contents(), where lookups read at random.
  virtual std::optional<absl::string_view> ContentsForScan() const { return Contents(); }

  // True if Contents() would have to map the file first. That costs as much as a dozen reads of a
  // block; for fewer, Read() is cheaper.
  virtual bool IsUnmapped() const { return false; }

  // A hint that these bytes, which are inside the file, will be read soon: a file on a device may
  // start to fetch them, without waiting.
  virtual void WillNeed(uint64_t offset, uint64_t size) const {
    static_cast<void>(offset), static_cast<void>(size);
  }

 private:
  std::string name_;
  uint64_t size_;
};

enum class FileAccess {
  // Maps the file when Contents() is first called. Fastest, but if the file is then truncated or
  // its device fails, SIGBUS is raised; and if it is overwritten in place after its bytes were
  // verified, a lookup may return "absent" with OK. Replace a table by a rename.
  //
  // Until then it is read, as with kRead, and keeps a descriptor; if the system can't map it, that
  // stays so. At most an eighth of the descriptors that the process may have are kept in this way:
  // further files are mapped when they are opened, and it is an error if that fails. Call
  // Contents() or TableReader::LoadIndex() before closing descriptors that you did not open
  // (closefrom), since another file could get the same number and be read instead; and before
  // locking a table with fcntl(), since any close() of the file releases the lock.
  kMap,
  // Reads each block with pread(2); any failure is returned as a status.
  kRead,
};

// Opens a regular file. Errors name the path: NotFound, PermissionDenied, and so on by errno;
// InvalidArgument for a folder, a pipe or a device, and for a path with a NUL byte.
SSTABLE_EXPORT absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenFile(
    Slice path, FileAccess access = FileAccess::kMap);

// Opens a regular file by its descriptor, which is duplicated and stays the caller's.
SSTABLE_EXPORT absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenFileDescriptor(
    int descriptor, Slice name, FileAccess access = FileAccess::kMap);

// Reads from `contents`, which must outlive the file.
SSTABLE_EXPORT std::unique_ptr<RandomAccessFile> NewMemoryFile(Slice contents,
                                                               Slice name = "memory");

// A file being written. Derive from it to write to anywhere else.
// Pattern:   Append* Sync? Close. Destroying it without a successful Close discards the file.
// Threads:   one at a time.
// Errors:    after the first one, a TableBuilder calls nothing more.
class SSTABLE_EXPORT WritableFile {
 public:
  explicit WritableFile(std::string name) : name_(std::move(name)) {}
  virtual ~WritableFile() = default;
  WritableFile(const WritableFile&) = delete;
  WritableFile& operator=(const WritableFile&) = delete;

  const std::string& name() const { return name_; }

  virtual absl::Status Append(absl::string_view data) = 0;
  virtual absl::Status Sync() = 0;   // makes what was appended durable
  virtual absl::Status Close() = 0;  // completes the file

 private:
  std::string name_;
};

// Creates `path` atomically: the file is written under a temporary name in the same folder,
// `path`.tmp-PID-N, and Close() renames it to `path`. It replaces an old file and keeps its mode.
// The old file may be read-only or another user's, since a rename needs rights only on the folder.
// Without a successful Close(), nothing is left and an old file is unchanged; Close() fails if
// Append() or Sync() has failed. A killed process leaves the temporary file. A symbolic link at
// `path` is followed; name() is then its target.
//
// If Sync() was called, Close() ends by syncing the folder. That is the only step that can fail
// with the new file in place: it is complete and on the device, but after a crash its name may be
// missing or refer to the old file. The error says so. Undoing the rename could fail in the same
// way.
//
// Errors: by errno; InvalidArgument if `path` is something other than a regular file, or has a NUL
// byte.
SSTABLE_EXPORT absl::StatusOr<std::unique_ptr<WritableFile>> CreateFileAtomically(Slice path);

// Writes to an open descriptor, such as a pipe. It stays the caller's and is not closed; what was
// written can't be undone. Errors: by errno.
SSTABLE_EXPORT std::unique_ptr<WritableFile> NewDescriptorFile(int descriptor, Slice name);

// Appends to `*contents`, which must outlive the file.
SSTABLE_EXPORT std::unique_ptr<WritableFile> NewStringFile(std::string* contents,
                                                           Slice name = "memory");

}  // namespace sstable

#endif  // SSTABLE_FILE_H_
