#include "sstable/file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>

#include "absl/base/config.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "util/status_util.h"

namespace sstable {
namespace {

absl::Status ErrnoError(absl::string_view what) {
  const int error = errno;
  absl::Status status = absl::ErrnoToStatus(error, what);
  // The device has gone. NotFound would say that there never was such a file.
  if (error == ENXIO || error == ENODEV) return absl::UnavailableError(status.message());
  return status;
}

absl::Status ErrnoError(absl::string_view name, absl::string_view what) {
  return ErrnoError(absl::StrCat(name, ": ", what));
}

// Makes a system call again for as long as signals interrupt it. Not for close(): that has closed.
template <typename Call>
auto Uninterrupted(Call call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

// The system would take such a path for the part before the NUL, which names another file.
absl::Status CheckPath(absl::string_view path) {
  if (path.find('\0') == path.npos) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("path \"", absl::CHexEscape(path), "\" has a NUL byte"));
}

int OpenDescriptor(const std::string& path, int flags, mode_t mode = 0) {
  return Uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); });
}

class ScopedDescriptor {
 public:
  explicit ScopedDescriptor(int value) : value_(value) {}
  ScopedDescriptor(ScopedDescriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  ~ScopedDescriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int get() const { return value_; }
  int Release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

class PosixReadFile final : public RandomAccessFile {
 public:
  PosixReadFile(std::string name, uint64_t size, ScopedDescriptor descriptor)
      : RandomAccessFile(std::move(name), size), descriptor_(std::move(descriptor)) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    while (size > 0) {
      const ssize_t count = Uninterrupted(
          [&] { return ::pread(descriptor_.get(), dst, size, static_cast<off_t>(offset)); });
      if (count < 0) return ErrnoError(absl::StrCat("can't read at offset ", offset));
      if (count == 0) {
        return absl::DataLossError(absl::StrCat("ends at offset ", offset, ", was ", this->size(),
                                                " bytes long when opened"));
      }
      offset += static_cast<uint64_t>(count);
      dst += count;
      size -= static_cast<size_t>(count);
    }
    return absl::OkStatus();
  }

  void WillNeed(uint64_t offset, uint64_t size) const override {
    static_cast<void>(::posix_fadvise(descriptor_.get(), static_cast<off_t>(offset),
                                      static_cast<off_t>(size), POSIX_FADV_WILLNEED));
  }

 private:
  ScopedDescriptor descriptor_;
};

class MemoryFile : public RandomAccessFile {
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

// A mapping of a file, which unmaps it.
class Mapping {
 public:
  Mapping() = default;
  explicit Mapping(absl::string_view bytes) : bytes_(bytes) {}
  Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping() {
    if (!bytes_.empty()) ::munmap(address(), bytes_.size());
  }

  absl::string_view bytes() const { return bytes_; }
  void Advise(int advice) const { static_cast<void>(::madvise(address(), bytes_.size(), advice)); }

  // Another one of the same pages; empty if there is none to be had. The file need not be open.
  // ThreadSanitizer does not see mremap(): it would blame a reader of the new pages for what other
  // threads did at their address before, so it gets none.
  Mapping Duplicate() const {
#if defined(MREMAP_MAYMOVE) && !defined(ABSL_HAVE_THREAD_SANITIZER)
    void* const copy = ::mremap(address(), 0, bytes_.size(), MREMAP_MAYMOVE);
    if (copy != MAP_FAILED) return Mapping({static_cast<const char*>(copy), bytes_.size()});
#endif
    return Mapping();
  }

 private:
  char* address() const { return const_cast<char*>(bytes_.data()); }

  absl::string_view bytes_;
};

// Lookups read a page here and a page there: for each, the system would read a hundred kilobytes or
// megabytes around it, so it is told not to. Scans want just that, and get a mapping of their own,
// since advice is for all who use a mapping.
class MappedFile final : public MemoryFile {
 public:
  // `knows_memory`: the system tells this process which pages are in memory.
  MappedFile(std::string name, Mapping mapping, bool knows_memory)
      : MemoryFile(std::move(name), mapping.bytes()),
        mapping_(std::move(mapping)),
        knows_memory_(knows_memory) {
    mapping_.Advise(MADV_RANDOM);
  }

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    if (size < PageSize()) return MemoryFile::Read(offset, size, dst);
    std::memcpy(dst, ContentsForScan()->data() + offset, size);
    return absl::OkStatus();
  }

  std::optional<absl::string_view> ContentsForScan() const override {
    std::call_once(scan_once_, [this] {
      scan_mapping_ = mapping_.Duplicate();
      // Without a second one, too much is read for lookups; a scan page by page would be worse.
      (scan_mapping_.bytes().empty() ? mapping_ : scan_mapping_).Advise(MADV_NORMAL);
    });
    return scan_mapping_.bytes().empty() ? mapping_.bytes() : scan_mapping_.bytes();
  }

  void WillNeed(uint64_t offset, uint64_t size) const override {
    const uint64_t start = offset & ~(PageSize() - 1);
    const size_t page_count = (offset + size - start + PageSize() - 1) / PageSize();
    if (page_count <= 1) return;  // A read fetches a single page as soon.
    char* const address = const_cast<char*>(mapping_.bytes().data()) + start;
    if (knows_memory_ && page_count <= kFewPages && IsInMemory(address, page_count)) return;
    static_cast<void>(::madvise(address, page_count * PageSize(), MADV_WILLNEED));
  }

 private:
  // A data block is that small; blocks that are larger are read seldom, or take long anyway.
  static constexpr size_t kFewPages = 8;
  // Once pages were found in memory, as many more hints are taken for unnecessary: each, and asking
  // for the pages, costs as much as a lookup in memory.
  static constexpr uint32_t kSkips = 4;

  // Whether the pages, or those of one of the last hints, are all in memory.
  bool IsInMemory(char* address, size_t page_count) const {
    // Relaxed: calls that race may ask once more, or once less.
    const uint32_t skips = skips_.load(std::memory_order_relaxed);
    if (skips > 0) {
      skips_.store(skips - 1, std::memory_order_relaxed);
      return true;
    }
    unsigned char states[kFewPages];
    const bool all = ::mincore(address, page_count * PageSize(), states) == 0 &&
                     std::all_of(states, states + page_count,
                                 [](unsigned char state) { return (state & 1) != 0; });
    if (all) skips_.store(kSkips, std::memory_order_relaxed);
    return all;
  }

  static uint64_t PageSize() {
    static const auto size = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    return size;
  }

  Mapping mapping_;
  const bool knows_memory_;
  mutable std::atomic<uint32_t> skips_{0};
  mutable std::once_flag scan_once_;
  mutable Mapping scan_mapping_;  // made when first asked for
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
  if (access == FileAccess::kRead || size == 0) {
    return std::make_unique<PosixReadFile>(std::string(name), size, std::move(descriptor));
  }
  void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor.get(), 0);
  if (mapping == MAP_FAILED) return ErrnoError(name, "can't map");
  // To all others, Linux says since 5.2 that every page is in memory.
  const uid_t user = ::geteuid();
  const bool knows_memory = user == 0 || user == info.st_uid;
  return std::make_unique<MappedFile>(
      std::string(name), Mapping(absl::string_view(static_cast<const char*>(mapping), size)),
      knows_memory);
}

class DescriptorFile : public WritableFile {
 public:
  DescriptorFile(std::string name, int descriptor)
      : WritableFile(std::move(name)), descriptor_(descriptor) {}

  absl::Status Append(absl::string_view data) override {
    while (!data.empty()) {
      const ssize_t count =
          Uninterrupted([&] { return ::write(descriptor_, data.data(), data.size()); });
      if (count == 0) errno = EIO;  // What takes nothing now might never take anything.
      if (count <= 0) return ErrnoError(name(), "can't write");
      data.remove_prefix(static_cast<size_t>(count));
    }
    return absl::OkStatus();
  }

  absl::Status Sync() override {
    // EINVAL: pipes and the like can't be synced, and need not be.
    if (Uninterrupted([&] { return ::fdatasync(descriptor_); }) != 0 && errno != EINVAL) {
      return ErrnoError(name(), "can't sync");
    }
    return absl::OkStatus();
  }

  absl::Status Close() override { return absl::OkStatus(); }

 protected:
  int descriptor_;
};

class AtomicFile final : public DescriptorFile {
 public:
  explicit AtomicFile(std::string path) : DescriptorFile(std::move(path), -1) {}

  // Begins the temporary file; from here on it is this object's to remove. Once. Errors: by errno,
  // left there.
  bool Create(std::string temporary_path) {
    descriptor_ = OpenDescriptor(temporary_path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (descriptor_ >= 0) temporary_path_ = std::move(temporary_path);
    return descriptor_ >= 0;
  }

  // Gives it the mode of the file that it will replace. Errors: by errno, left there.
  bool TakeMode(mode_t mode) {
    return Uninterrupted([&] { return ::fchmod(descriptor_, mode & 07777); }) == 0;
  }

  ~AtomicFile() override {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (temporary_path_.empty()) return;
    Uninterrupted([&] { return ::unlink(temporary_path_.c_str()); });
  }

  absl::Status Append(absl::string_view data) override {
    if (status_.ok()) status_ = DescriptorFile::Append(data);
    return status_;
  }

  absl::Status Sync() override {
    synced_ = true;
    if (status_.ok()) status_ = DescriptorFile::Sync();
    return status_;
  }

  absl::Status Close() override {
    RETURN_IF_ERROR(status_);
    // What may fail should do so while nothing has changed, so the folder is opened first.
    const std::string folder_path = FolderOf(name());
    const ScopedDescriptor folder(synced_ ? OpenDescriptor(folder_path, O_RDONLY | O_DIRECTORY)
                                          : -1);
    if (synced_ && folder.get() < 0) {
      return ErrnoError(name(), absl::StrCat("can't open its folder ", folder_path, " to sync it"));
    }
    // Some file systems report a failed write only here.
    if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) {
      return ErrnoError(name(), "can't close");
    }
    if (Uninterrupted([&] { return ::rename(temporary_path_.c_str(), name().c_str()); }) != 0) {
      return ErrnoError(name(), absl::StrCat("can't rename ", temporary_path_, " to it"));
    }
    temporary_path_.clear();
    if (synced_ && Uninterrupted([&] { return ::fsync(folder.get()); }) != 0 && errno != EINVAL) {
      return ErrnoError(name(), absl::StrCat("is complete and in place, but a crash may undo that: "
                                             "can't sync its folder ",
                                             folder_path));
    }
    return absl::OkStatus();
  }

 private:
  static std::string FolderOf(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
  }

  std::string temporary_path_;  // empty once renamed
  bool synced_ = false;
  absl::Status status_;  // the first error of Append or Sync: a file with a gap is never renamed
};

class StringFile final : public WritableFile {
 public:
  StringFile(std::string name, std::string* contents)
      : WritableFile(std::move(name)), contents_(contents) {}

  absl::Status Append(absl::string_view data) override {
    contents_->append(data.data(), data.size());
    return absl::OkStatus();
  }
  absl::Status Sync() override { return absl::OkStatus(); }
  absl::Status Close() override { return absl::OkStatus(); }

 private:
  std::string* contents_;
};

// Where `path` leads, if it is a symbolic link, whether there is a file or not; else `path`.
absl::StatusOr<std::string> FollowLinks(absl::string_view path) {
  constexpr int kMaxLinks = 40;  // as Linux has it
  std::string target(path);
  for (int i = 0; i < kMaxLinks; ++i) {
    char link[PATH_MAX];
    const ssize_t size =
        Uninterrupted([&] { return ::readlink(target.c_str(), link, sizeof(link)); });
    if (size < 0) {
      if (errno == EINVAL || errno == ENOENT) return target;  // no link, or nothing at all
      return ErrnoError(path, "can't tell whether it is a link");
    }
    const absl::string_view destination(link, static_cast<size_t>(size));
    const size_t slash = target.rfind('/');
    const bool is_absolute = !destination.empty() && destination[0] == '/';
    const size_t folder_size = is_absolute || slash == std::string::npos ? 0 : slash + 1;
    target.replace(folder_size, std::string::npos, destination.data(), destination.size());
  }
  return absl::InvalidArgumentError(absl::StrCat(path, ": is a loop of symbolic links"));
}

// A name in the folder of `target`, not longer than a file system allows.
std::string TemporaryName(absl::string_view target, uint64_t number) {
  constexpr size_t kKeptSize = 200;  // of the 255 bytes
  const size_t slash = target.rfind('/');
  const size_t name_start = slash == absl::string_view::npos ? 0 : slash + 1;
  return absl::StrCat(target.substr(0, name_start + kKeptSize), ".tmp-", ::getpid(), "-", number);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenFile(absl::string_view path,
                                                           FileAccess access) {
  RETURN_IF_ERROR(CheckPath(path));
  // O_NONBLOCK: opening a pipe that nobody writes to must not wait; it is refused below.
  ScopedDescriptor descriptor(OpenDescriptor(std::string(path), O_RDONLY | O_NONBLOCK));
  if (descriptor.get() < 0) return ErrnoError(path, "can't open");
  return WrapDescriptor(std::move(descriptor), path, access);
}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenFileDescriptor(int descriptor,
                                                                     absl::string_view name,
                                                                     FileAccess access) {
  ScopedDescriptor duplicate(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (duplicate.get() < 0) return ErrnoError(name, "can't duplicate the descriptor");
  return WrapDescriptor(std::move(duplicate), name, access);
}

std::unique_ptr<RandomAccessFile> NewMemoryFile(absl::string_view contents,
                                                absl::string_view name) {
  return std::make_unique<MemoryFile>(std::string(name), contents);
}

absl::StatusOr<std::unique_ptr<WritableFile>> CreateFileAtomically(absl::string_view path) {
  if (path.empty()) return absl::NotFoundError("can't create a file without a name");
  RETURN_IF_ERROR(CheckPath(path));
  ASSIGN_OR_RETURN(std::string target, FollowLinks(path));
  struct stat old;
  const bool replaces = Uninterrupted([&] { return ::stat(target.c_str(), &old); }) == 0;
  if (!replaces && errno != ENOENT) return ErrnoError(path, "can't stat");
  if (replaces && !S_ISREG(old.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, S_ISDIR(old.st_mode) ? ": is a folder" : ": exists and is not a regular file"));
  }
  static std::atomic<uint64_t> counter{0};
  auto file = std::make_unique<AtomicFile>(std::move(target));
  for (int tries = 0; tries < 100; ++tries) {
    if (!file->Create(TemporaryName(file->name(), counter.fetch_add(1)))) {
      if (errno == EEXIST) continue;
      return ErrnoError(path, "can't create");
    }
    if (replaces && !file->TakeMode(old.st_mode)) {
      return ErrnoError(path, "can't take over the mode of the old file");
    }
    return file;
  }
  return absl::AlreadyExistsError(absl::StrCat(path, ": no free temporary name beside it"));
}

std::unique_ptr<WritableFile> NewDescriptorFile(int descriptor, absl::string_view name) {
  return std::make_unique<DescriptorFile>(std::string(name), descriptor);
}

std::unique_ptr<WritableFile> NewStringFile(std::string* contents, absl::string_view name) {
  return std::make_unique<StringFile>(std::string(name), contents);
}

}  // namespace sstable
