// Descriptors are those of the C library, which keeps a HANDLE for each. Reads and writes use the
// HANDLE, so nothing is buffered or translated.
#include "util/system_windows.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "util/system.h"

namespace sstable::sys {
namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

int FailRead() {
  if (GetLastError() != ERROR_INVALID_FUNCTION) return Fail();
  errno = EISDIR;  // a folder can't be read
  return -1;
}

HANDLE HandleOf(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

// Takes ownership of `handle`.
int DescriptorOf(HANDLE handle, int flags) {
  if (handle == INVALID_HANDLE_VALUE) return Fail();
  const int descriptor =
      _open_osfhandle(reinterpret_cast<intptr_t>(handle), flags | _O_BINARY | _O_NOINHERIT);
  if (descriptor < 0) CloseHandle(handle);  // too many are open; errno is set
  return descriptor;
}

class ScopedHandle {
 public:
  explicit ScopedHandle(HANDLE handle) : handle_(handle) {}
  ScopedHandle(const ScopedHandle&) = delete;
  ScopedHandle& operator=(const ScopedHandle&) = delete;
  ~ScopedHandle() {
    if (is_open()) CloseHandle(handle_);
  }
  bool is_open() const { return handle_ != INVALID_HANDLE_VALUE; }
  HANDLE get() const { return handle_; }

 private:
  const HANDLE handle_;
};

bool Describe(HANDLE handle, FileInfo* info) {
  *info = FileInfo();
  const DWORD kind = GetFileType(handle);
  if (kind == FILE_TYPE_UNKNOWN && GetLastError() != NO_ERROR) return Failed();
  if (kind == FILE_TYPE_PIPE) info->type = FileType::kPipe;
  if (kind != FILE_TYPE_DISK) return true;
  FILE_STANDARD_INFO found;
  if (!GetFileInformationByHandleEx(handle, FileStandardInfo, &found, sizeof(found))) {
    return Failed();
  }
  info->type = found.Directory ? FileType::kFolder : FileType::kRegular;
  if (!found.Directory) info->size = static_cast<uint64_t>(found.EndOfFile.QuadPart);
  FILE_ID_INFO id;                    // FAT has none
  BY_HANDLE_FILE_INFORMATION old_id;  // wine has none for a standard stream
  if (GetFileInformationByHandleEx(handle, FileIdInfo, &id, sizeof(id))) {
    info->device = id.VolumeSerialNumber;
    std::memcpy(&info->number, &id.FileId, sizeof(info->number));
  } else if (GetFileInformationByHandle(handle, &old_id)) {
    info->device = old_id.dwVolumeSerialNumber;
    info->number = uint64_t{old_id.nFileIndexHigh} << 32 | old_id.nFileIndexLow;
  } else {
    return Failed();
  }
  return true;
}

bool StatPath(const std::string& path, bool follow_link, FileInfo* info) {
  const ScopedHandle file(CreateFileW(
      SystemPath(path).c_str(), FILE_READ_ATTRIBUTES, kShareAll, nullptr, OPEN_EXISTING,
      FILE_FLAG_BACKUP_SEMANTICS | (follow_link ? 0 : FILE_FLAG_OPEN_REPARSE_POINT), nullptr));
  if (!file.is_open()) return Failed();
  if (!Describe(file.get(), info)) return false;
  std::string target;
  if (!follow_link && ReadLink(path, &target)) info->type = FileType::kLink;
  return true;
}

}  // namespace

const size_t kMaxPathSize = 3 * 32767;  // the longest path, in UTF-8
const bool kMapsFiles = false;          // a mapped file can't be truncated or replaced by its owner
const char* const kEndOfInputKeys = "Ctrl-Z and Enter end";

size_t FolderPartSize(absl::string_view path) {
  const size_t separator = path.find_last_of("/\\");
  if (separator != path.npos) return separator + 1;
  return path.size() >= 2 && path[1] == ':' ? 2 : 0;
}

bool IsAbsolute(absl::string_view path) {
  return std::filesystem::path(ToWide(path)).has_root_path();
}

std::filesystem::path ToPath(absl::string_view path) { return SystemPath(path); }

std::string FromPath(const std::filesystem::path& path) {
  std::wstring wide = path.wstring();
  if (StartsWith(wide, kLongSharePath)) {
    wide.replace(0, kLongSharePath.size(), L"\\\\");
  } else if (StartsWith(wide, kLongPath)) {
    wide.erase(0, kLongPath.size());
  }
  return FromWide(std::filesystem::path(wide).generic_wstring());
}

int Open(const std::string& path, OpenFor use) {
  const bool creates = use == OpenFor::kCreate;
  // FILE_FLAG_BACKUP_SEMANTICS opens folders, too, as open() does elsewhere; the caller refuses
  // them.
  return DescriptorOf(
      CreateFileW(SystemPath(path).c_str(), creates ? GENERIC_WRITE : GENERIC_READ, kShareAll,
                  nullptr, creates ? CREATE_NEW : OPEN_EXISTING,
                  creates ? FILE_ATTRIBUTE_NORMAL : FILE_FLAG_BACKUP_SEMANTICS, nullptr),
      creates ? 0 : _O_RDONLY);
}

int Duplicate(int descriptor) {
  HANDLE copy;
  const HANDLE process = GetCurrentProcess();
  if (!DuplicateHandle(process, HandleOf(descriptor), process, &copy, 0, FALSE,
                       DUPLICATE_SAME_ACCESS)) {
    return Fail();
  }
  return DescriptorOf(copy, 0);
}

int Close(int descriptor) { return _close(descriptor); }

ptrdiff_t Read(int descriptor, char* dst, size_t size) {
  DWORD count;
  const auto wanted = static_cast<DWORD>(std::min<size_t>(size, 1 << 30));
  SetLastError(NO_ERROR);
  if (ReadFile(HandleOf(descriptor), dst, wanted, &count, nullptr)) {
    if (count > 0 || GetLastError() != ERROR_OPERATION_ABORTED) return count;
    errno = EINTR;  // Ctrl-C at a console is not the end of its input
    return -1;
  }
  return GetLastError() == ERROR_BROKEN_PIPE ? 0 : FailRead();  // no writer is left
}

ptrdiff_t ReadAt(int descriptor, uint64_t offset, char* dst, size_t size) {
  OVERLAPPED place = {};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  DWORD count;
  const auto wanted = static_cast<DWORD>(std::min<size_t>(size, 1 << 30));
  if (ReadFile(HandleOf(descriptor), dst, wanted, &count, &place)) return count;
  return GetLastError() == ERROR_HANDLE_EOF ? 0 : FailRead();
}

ptrdiff_t Write(int descriptor, const char* data, size_t size) {
  DWORD count;
  const auto wanted = static_cast<DWORD>(std::min<size_t>(size, 1 << 30));
  return WriteFile(HandleOf(descriptor), data, wanted, &count, nullptr) ? ptrdiff_t{count} : Fail();
}

void WillRead(int, uint64_t, uint64_t) {}

int64_t Position(int descriptor) { return _lseeki64(descriptor, 0, SEEK_CUR); }

int SyncData(int descriptor) {
  if (FlushFileBuffers(HandleOf(descriptor))) return 0;
  if (GetFileType(HandleOf(descriptor)) == FILE_TYPE_DISK) return Fail();
  errno = EINVAL;  // a pipe or a console
  return -1;
}

bool Stat(const std::string& path, FileInfo* info) { return StatPath(path, true, info); }

bool StatDescriptor(int descriptor, FileInfo* info) { return Describe(HandleOf(descriptor), info); }

int SetMode(int, uint32_t) { return 0; }  // a new file has the permissions of its folder

int OpenNameless(const std::string& folder) {
  static std::atomic<uint64_t> counter{0};
  for (;;) {
    const std::string path = absl::StrCat(folder, "/sst-sort-", ProcessId(), "-", counter++);
    const HANDLE file = CreateFileW(SystemPath(path).c_str(), GENERIC_READ | GENERIC_WRITE | DELETE,
                                    kShareAll, nullptr, CREATE_NEW,
                                    FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
    if (file != INVALID_HANDLE_VALUE || GetLastError() != ERROR_FILE_EXISTS) {
      return DescriptorOf(file, 0);
    }
  }
}

int MakeWaiting(int) { return 0; }

bool IsNamelessPipe(int) { return true; }  // named pipes are not in folders

bool IsTerminal(int descriptor) {
  DWORD mode;
  return GetConsoleMode(HandleOf(descriptor), &mode) != 0;
}

bool WaitForInput(int descriptor, int milliseconds) {
  return !IsTerminal(descriptor) ||
         WaitForSingleObject(HandleOf(descriptor), static_cast<DWORD>(milliseconds)) !=
             WAIT_TIMEOUT;
}

int Rename(const std::string& from, const std::string& to) {
  const std::wstring old_path = SystemPath(from), new_path = SystemPath(to);
  if (MoveFileExW(old_path.c_str(), new_path.c_str(),
                  MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) {
    return 0;
  }
  const DWORD error = GetLastError();
  if (error != ERROR_ACCESS_DENIED && error != ERROR_SHARING_VIOLATION) return Fail();
  // Since Windows 10, even a file that others have open can be replaced.
  struct RenameInfo {
    DWORD flags;
    HANDLE folder;
    DWORD name_size;
    WCHAR name[1];
  };
  constexpr int kFileRenameInfoEx = 22;
  constexpr DWORD kReplaceIfExists = 1, kPosixSemantics = 2;
  const std::wstring full = FullPath(new_path);
  const size_t name_size = full.size() * sizeof(WCHAR);
  std::vector<char> bytes(sizeof(RenameInfo) + name_size);
  auto* const info = reinterpret_cast<RenameInfo*>(bytes.data());
  info->flags = kReplaceIfExists | kPosixSemantics;
  info->name_size = static_cast<DWORD>(name_size);
  std::copy(full.begin(), full.end(), info->name);
  const ScopedHandle file(
      CreateFileW(old_path.c_str(), DELETE | SYNCHRONIZE, kShareAll, nullptr, OPEN_EXISTING,
                  FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_WRITE_THROUGH, nullptr));
  if (file.is_open() && SetFileInformationByHandle(
                            file.get(), static_cast<FILE_INFO_BY_HANDLE_CLASS>(kFileRenameInfoEx),
                            info, static_cast<DWORD>(bytes.size()))) {
    return 0;
  }
  errno = ErrnoOf(error);
  return -1;
}

int Remove(const std::string& path) { return DeleteFileW(SystemPath(path).c_str()) ? 0 : Fail(); }

int HardLink(const std::string& target, const std::string& path) {
  return CreateHardLinkW(SystemPath(path).c_str(), SystemPath(target).c_str(), nullptr) ? 0
                                                                                        : Fail();
}

bool Clone(const std::string&, const std::string&) { return false; }

bool ReadLink(const std::string& path, std::string* target) {
  const std::wstring wide = SystemPath(path);
  const DWORD attributes = GetFileAttributesW(wide.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return Failed();
  std::error_code error = std::make_error_code(std::errc::invalid_argument);
  // Not every reparse point is a link: a file that is kept in a cloud has the attribute, too.
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
    *target = FromPath(std::filesystem::read_symlink(wide, error));
  }
  if (error) errno = EINVAL;
  return !error;
}

int SyncFolder(int) { return 0; }  // Rename() waits for the disk

bool SyncFilesIn(const std::string& folder) {
  Folder files;
  if (!files.Open(folder)) return false;
  std::string name;
  for (FileType type; files.Next(&name, &type);) {
    if (type != FileType::kRegular) continue;
    const ScopedHandle file(CreateFileW(SystemPath(absl::StrCat(folder, "/", name)).c_str(),
                                        GENERIC_WRITE, kShareAll, nullptr, OPEN_EXISTING, 0,
                                        nullptr));
    BY_HANDLE_FILE_INFORMATION info;
    if (file.is_open() && FlushFileBuffers(file.get())) continue;
    const int error = ErrnoOf(GetLastError());
    // A file with several names is a hard link to a file of the old folder, which was not written.
    const ScopedHandle linked(CreateFileW(SystemPath(absl::StrCat(folder, "/", name)).c_str(),
                                          FILE_READ_ATTRIBUTES, kShareAll, nullptr, OPEN_EXISTING,
                                          0, nullptr));
    if (linked.is_open() && GetFileInformationByHandle(linked.get(), &info) &&
        info.nNumberOfLinks > 1) {
      continue;
    }
    errno = error;
    return false;
  }
  return errno == 0;
}

void CopyModeAndOwner(const std::string&, const std::string&) {}

struct Folder::State {
  ~State() {
    if (search != INVALID_HANDLE_VALUE) FindClose(search);
  }
  std::string path;
  HANDLE search = INVALID_HANDLE_VALUE;
  WIN32_FIND_DATAW entry;
  bool has_entry = false;
};

Folder::Folder() : state_(new State) {}
Folder::~Folder() = default;

bool Folder::Open(const std::string& path) {
  FileInfo info;
  if (!sys::Stat(path, &info)) return false;
  if (info.type != FileType::kFolder) {
    errno = ENOTDIR;
    return false;
  }
  state_->path = path;
  state_->search = FindFirstFileW(SystemPath(absl::StrCat(path, "/*")).c_str(), &state_->entry);
  state_->has_entry = state_->search != INVALID_HANDLE_VALUE;
  return state_->has_entry || GetLastError() == ERROR_FILE_NOT_FOUND || Failed();
}

bool Folder::Next(std::string* name, FileType* type) {
  errno = 0;
  while (state_->has_entry) {
    const std::wstring found = state_->entry.cFileName;
    const DWORD attributes = state_->entry.dwFileAttributes;
    state_->has_entry = FindNextFileW(state_->search, &state_->entry) != 0;
    if (!state_->has_entry && GetLastError() != ERROR_NO_MORE_FILES) return Failed();
    if (found == L"." || found == L"..") continue;
    *name = FromWide(found);
    const bool is_regular =
        (attributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) == 0;
    *type = is_regular ? FileType::kRegular : FileType::kOther;
    return true;
  }
  return false;
}

bool Folder::Stat(const std::string& name, bool follow_link, FileInfo* info) const {
  return StatPath(absl::StrCat(state_->path, "/", name), follow_link, info);
}

}  // namespace sstable::sys
