#ifndef __LP64__              // `long` has 32 bits, and so would off_t
#define _FILE_OFFSET_BITS 64  // NOLINT: the system's name
#endif

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "util/descriptor.h"
#include "util/system.h"

// Not every POSIX system has these.
#if __has_include(<linux/fs.h>)
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

namespace sstable::sys {
namespace {

FileType TypeOf(mode_t mode) {
  if (S_ISREG(mode)) return FileType::kRegular;
  if (S_ISDIR(mode)) return FileType::kFolder;
  if (S_ISFIFO(mode)) return FileType::kPipe;
  return S_ISLNK(mode) ? FileType::kLink : FileType::kOther;
}

bool Describe(int result, const struct stat& stat, FileInfo* info) {
  if (result != 0) return false;
  info->type = TypeOf(stat.st_mode);
  info->size = info->type == FileType::kRegular ? static_cast<uint64_t>(stat.st_size) : 0;
  info->mode = stat.st_mode & 07777;
  info->owner = stat.st_uid;
  info->device = stat.st_dev;
  info->number = stat.st_ino;
  return true;
}

}  // namespace

const size_t kMaxPathSize = PATH_MAX;
#ifdef __EMSCRIPTEN__
const bool kMapsFiles = false;  // its mmap() copies the whole file
#else
const bool kMapsFiles = true;
#endif
const char* const kEndOfInputKeys = "Ctrl-D ends";

size_t FolderPartSize(absl::string_view path) { return path.rfind('/') + 1; }

bool IsAbsolute(absl::string_view path) { return !path.empty() && path.front() == '/'; }

std::filesystem::path ToPath(absl::string_view path) { return std::string(path); }

std::string FromPath(const std::filesystem::path& path) { return path.string(); }

int Open(const std::string& path, OpenFor use) {
  int flags = O_RDONLY;
  if (use == OpenFor::kReadWithoutWait) flags |= O_NONBLOCK;
  if (use == OpenFor::kCreate) flags = O_WRONLY | O_CREAT | O_EXCL;
  if (use == OpenFor::kFolder) flags |= O_DIRECTORY;
  return ::open(path.c_str(), flags | O_CLOEXEC, 0666);
}

int Duplicate(int descriptor) { return ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0); }

int Close(int descriptor) { return ::close(descriptor); }

ptrdiff_t Read(int descriptor, char* dst, size_t size) { return ::read(descriptor, dst, size); }

ptrdiff_t ReadAt(int descriptor, uint64_t offset, char* dst, size_t size) {
  return ::pread(descriptor, dst, size, static_cast<off_t>(offset));
}

ptrdiff_t Write(int descriptor, const char* data, size_t size) {
  return ::write(descriptor, data, size);
}

void WillRead(int descriptor, uint64_t offset, uint64_t size) {
#ifdef F_RDADVISE
  radvisory part = {static_cast<off_t>(offset),
                    static_cast<int>(std::min<uint64_t>(size, INT_MAX))};
  static_cast<void>(::fcntl(descriptor, F_RDADVISE, &part));
#else
  static_cast<void>(::posix_fadvise(descriptor, static_cast<off_t>(offset),
                                    static_cast<off_t>(size), POSIX_FADV_WILLNEED));
#endif
}

int64_t Position(int descriptor) { return ::lseek(descriptor, 0, SEEK_CUR); }

int SyncData(int descriptor) {
#ifdef F_FULLFSYNC
  // On macOS, fsync() leaves bytes in the disk's own cache. Not every file system has F_FULLFSYNC.
  return ::fcntl(descriptor, F_FULLFSYNC) != -1 ? 0 : ::fsync(descriptor);
#else
  return ::fdatasync(descriptor);
#endif
}

bool Stat(const std::string& path, FileInfo* info) {
  struct stat stat;
  return Describe(::stat(path.c_str(), &stat), stat, info);
}

bool StatDescriptor(int descriptor, FileInfo* info) {
  struct stat stat;
  return Describe(::fstat(descriptor, &stat), stat, info);
}

int SetMode(int descriptor, uint32_t mode) { return ::fchmod(descriptor, mode); }

// On a file system without O_TMPFILE, the file's name is removed at once.
int OpenNameless(const std::string& folder) {
#ifdef O_TMPFILE
  const int nameless =
      Uninterrupted([&] { return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); });
  if (nameless >= 0) return nameless;
#endif
  std::string path = absl::StrCat(folder, "/sst-sort-XXXXXX");
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor >= 0) ::unlink(path.c_str());
  return descriptor;
}

int MakeWaiting(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags < 0 ? -1 : ::fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
}

bool IsNamelessPipe([[maybe_unused]] int descriptor) {
#ifdef PIPEFS_MAGIC
  struct statfs info;
  return Uninterrupted([&] { return ::fstatfs(descriptor, &info); }) == 0 &&
         info.f_type == PIPEFS_MAGIC;
#else
  return false;
#endif
}

bool IsTerminal(int descriptor) { return ::isatty(descriptor) == 1; }

bool WaitForInput(int descriptor, int milliseconds) {
  pollfd input = {descriptor, POLLIN, 0};
  return ::poll(&input, 1, milliseconds) != 0;
}

int Rename(const std::string& from, const std::string& to) {
  return ::rename(from.c_str(), to.c_str());
}

int Remove(const std::string& path) { return ::unlink(path.c_str()); }

int HardLink(const std::string& target, const std::string& path) {
  return ::linkat(AT_FDCWD, target.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW);
}

bool Clone([[maybe_unused]] const std::string& old_path, [[maybe_unused]] const std::string& path) {
#ifdef FICLONE
  const ScopedDescriptor from(OpenDescriptor(old_path, OpenFor::kRead));
  if (from.get() < 0) return false;
  const ScopedDescriptor to(OpenDescriptor(path, OpenFor::kCreate));
  if (to.get() < 0) return false;
  if (Uninterrupted([&] { return ::ioctl(to.get(), FICLONE, from.get()); }) == 0) return true;
  ::unlink(path.c_str());
#endif
  return false;
}

bool ReadLink(const std::string& path, std::string* target) {
  char link[PATH_MAX];
  const ssize_t size = Uninterrupted([&] { return ::readlink(path.c_str(), link, sizeof(link)); });
  if (size < 0) return false;
  target->assign(link, static_cast<size_t>(size));
  return true;
}

#ifdef __APPLE__

int SyncFolder(int descriptor) { return SyncData(descriptor); }

bool SyncFilesIn(const std::string& folder) {
  Folder files;
  if (!files.Open(folder)) return false;
  std::string name;
  for (FileType type; files.Next(&name, &type);) {
    if (type != FileType::kRegular) continue;
    const ScopedDescriptor file(OpenDescriptor(absl::StrCat(folder, "/", name), OpenFor::kRead));
    if (file.get() < 0) return false;
    if (Uninterrupted([&] { return SyncData(file.get()); }) != 0) return false;
  }
  return errno == 0;
}

#else

int SyncFolder(int descriptor) { return ::fsync(descriptor); }

// For many small files, syncfs() takes a seventh of the time of syncing each.
bool SyncFilesIn(const std::string& folder) {
  const ScopedDescriptor descriptor(OpenDescriptor(folder, OpenFor::kFolder));
  if (descriptor.get() < 0) return false;
  return Uninterrupted([&] { return ::syncfs(descriptor.get()); }) == 0;
}

#endif

void CopyModeAndOwner(const std::string& old_path, const std::string& new_path) {
  struct stat from, to;
  if (::stat(old_path.c_str(), &from) != 0 || ::stat(new_path.c_str(), &to) != 0) return;
  if (from.st_dev == to.st_dev && from.st_ino == to.st_ino) return;
  // Only root can give a file to another user.
  if (::chown(new_path.c_str(), from.st_uid, from.st_gid) != 0 &&
      ::chown(new_path.c_str(), to.st_uid, from.st_gid) != 0) {
    from.st_mode &= ~static_cast<mode_t>(S_IRWXG);  // meant for another group
  }
  const mode_t owner = S_IRUSR | S_IWUSR | (S_ISDIR(to.st_mode) ? S_IXUSR : 0);
  static_cast<void>(::chmod(new_path.c_str(), (from.st_mode & 0777) | owner));
}

struct Folder::State {
  std::unique_ptr<DIR, int (*)(DIR*)> directory{nullptr, ::closedir};
};

Folder::Folder() : state_(new State) {}
Folder::~Folder() = default;

bool Folder::Open(const std::string& path) {
  do {
    state_->directory.reset(::opendir(path.c_str()));
  } while (state_->directory == nullptr && errno == EINTR);
  return state_->directory != nullptr;
}

bool Folder::Next(std::string* name, FileType* type) {
  for (;;) {
    errno = 0;
    const struct dirent* const entry = ::readdir(state_->directory.get());
    if (entry == nullptr) return false;
    *name = entry->d_name;
    if (*name == "." || *name == "..") continue;
    *type = entry->d_type == DT_REG ? FileType::kRegular : FileType::kOther;
    return true;
  }
}

bool Folder::Stat(const std::string& name, bool follow_link, FileInfo* info) const {
  struct stat stat;
  return Describe(Uninterrupted([&] {
                    return ::fstatat(::dirfd(state_->directory.get()), name.c_str(), &stat,
                                     follow_link ? 0 : AT_SYMLINK_NOFOLLOW);
                  }),
                  stat, info);
}

}  // namespace sstable::sys
