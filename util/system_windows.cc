// Descriptors are those of the C library, which keeps a HANDLE for each. Reads and writes use the
// HANDLE, so nothing is buffered or translated.
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <windows.h>
// Needs windows.h.
#include <shellapi.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "util/system.h"

namespace sstable::sys {
namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

int ErrnoOf(DWORD error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_PATHNAME:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
      return ENOENT;
    case ERROR_ACCESS_DENIED:
      return EACCES;
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
      return ETXTBSY;  // ErrnoError() has a text for it
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return EEXIST;
    case ERROR_DIRECTORY:
      return ENOTDIR;
    case ERROR_DIR_NOT_EMPTY:
      return ENOTEMPTY;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return ENOSPC;
    case ERROR_WRITE_PROTECT:
      return EROFS;
    case ERROR_NOT_SAME_DEVICE:
      return EXDEV;
    case ERROR_TOO_MANY_OPEN_FILES:
      return EMFILE;
    case ERROR_INVALID_HANDLE:
      return EBADF;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
    case ERROR_PIPE_NOT_CONNECTED:
      return EPIPE;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
      return ENOMEM;
    case ERROR_FILENAME_EXCED_RANGE:
      return ENAMETOOLONG;
    case ERROR_INVALID_PARAMETER:
      return EINVAL;
    case ERROR_PRIVILEGE_NOT_HELD:
      return EPERM;
    case ERROR_INVALID_FUNCTION:
    case ERROR_NOT_SUPPORTED:
      return ENOSYS;
    case ERROR_NOT_READY:
    case ERROR_DEV_NOT_EXIST:
      return ENXIO;
    default:
      return EIO;
  }
}

// Sets errno for the last call, which failed.
bool Failed() {
  errno = ErrnoOf(GetLastError());
  return false;
}

int Fail() {
  Failed();
  return -1;
}

int FailRead() {
  if (GetLastError() != ERROR_INVALID_FUNCTION) return Fail();
  errno = EISDIR;  // a folder can't be read
  return -1;
}

std::wstring ToWide(absl::string_view text) {
  const int size = static_cast<int>(text.size());
  std::wstring wide(MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), size, &wide[0], static_cast<int>(wide.size()));
  return wide;
}

std::string FromWide(const std::wstring& wide) {
  const int size = static_cast<int>(wide.size());
  std::string text(WideCharToMultiByte(CP_UTF8, 0, wide.data(), size, nullptr, 0, nullptr, nullptr),
                   '\0');
  WideCharToMultiByte(CP_UTF8, 0, wide.data(), size, &text[0], static_cast<int>(text.size()),
                      nullptr, nullptr);
  return text;
}

// Returns the absolute form of `path`.
std::wstring FullPath(const std::wstring& path) {
  std::wstring full(GetFullPathNameW(path.c_str(), 0, nullptr, nullptr), L'\0');
  full.resize(GetFullPathNameW(path.c_str(), static_cast<DWORD>(full.size()), &full[0], nullptr));
  return full;
}

constexpr std::wstring_view kLongPath = L"\\\\?\\", kLongSharePath = L"\\\\?\\UNC\\";

bool StartsWith(const std::wstring& text, std::wstring_view part) {
  return text.compare(0, part.size(), part) == 0;
}

// A complete path of MAX_PATH (260) characters or more needs a prefix, after which only '\'
// separates names.
std::wstring SystemPath(absl::string_view path) {
  constexpr size_t kMaxPlainSize = 240;  // leaves room for an 8.3 name in a folder
  const std::wstring wide = ToWide(path);
  std::wstring full = FullPath(wide);
  if (StartsWith(full, kLongPath)) return full;
  if (full.size() < kMaxPlainSize) return wide;
  const bool is_share = StartsWith(full, L"\\\\");
  return full.replace(0, is_share ? 2 : 0, is_share ? kLongSharePath : kLongPath);
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

size_t PageSize() { return 4096; }
char* Map(int, size_t) { return nullptr; }
char* MapAgain(char*, size_t) { return nullptr; }
void Unmap(char*, size_t) {}
void Advise(char*, size_t, Use) {}
bool KnowsMemoryOf(uint64_t) { return false; }
bool AreInMemory(char*, size_t) { return false; }
void AdviseHugePages(void*, size_t) {}

void* AllocateAligned(size_t alignment, size_t size) { return _aligned_malloc(size, alignment); }

void FreeAligned(void* p) { _aligned_free(p); }

uint64_t ProcessId() { return GetCurrentProcessId(); }

uint64_t MaxDescriptors() { return 8192; }  // the limit of the C library

double ThreadSeconds() {
  FILETIME created, ended, system, user;
  GetThreadTimes(GetCurrentThread(), &created, &ended, &system, &user);
  const auto ticks = [](FILETIME time) {
    return uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime;
  };
  return 1e-7 * static_cast<double>(ticks(system) + ticks(user));
}

std::string TemporaryFolder() {
  std::wstring folder(MAX_PATH + 1, L'\0');
  folder.resize(GetTempPathW(MAX_PATH + 1, &folder[0]));
  return FromWide(folder);
}

uint32_t SetFileMask(uint32_t) { return 0; }  // a new file has the permissions of its folder

void PrepareProcess() {
  // HandleOf() then fails for a closed standard stream instead of ending the program.
  _set_invalid_parameter_handler(
      [](const wchar_t*, const wchar_t*, const wchar_t*, unsigned int, uintptr_t) {});
  for (int descriptor = 0; descriptor <= 2; ++descriptor) _setmode(descriptor, _O_BINARY);
  SetErrorMode(SEM_FAILCRITICALERRORS);  // a device that is not ready is an error, not a dialog
  // Sets the console to UTF-8 and enables escape sequences, which the progress bar needs. The
  // settings are restored at exit, since the shell shares the console.
  static const UINT old_page = GetConsoleOutputCP();
  if (old_page != 0 && SetConsoleOutputCP(CP_UTF8)) {
    std::atexit([] { SetConsoleOutputCP(old_page); });
  }
  static const HANDLE messages = GetStdHandle(STD_ERROR_HANDLE);
  static DWORD old_mode;
  constexpr DWORD kVirtualTerminal = 4;
  if (GetConsoleMode(messages, &old_mode) &&
      SetConsoleMode(messages, old_mode | kVirtualTerminal)) {
    std::atexit([] { SetConsoleMode(messages, old_mode); });
  }
}

std::vector<std::string> Arguments(int, char**) {
  int count = 0;
  wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
  std::vector<std::string> arguments;
  for (int i = 1; i < count; ++i) arguments.push_back(FromWide(words[i]));
  LocalFree(words);
  return arguments;
}

struct SignalCatcher::State {
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGBREAK};
  void (*old_handlers[3])(int);
};

SignalCatcher::SignalCatcher(void (*handler)(int signal)) : state_(new State) {
  for (size_t i = 0; i < 3; ++i) {
    state_->old_handlers[i] = std::signal(State::kSignals[i], handler);
  }
}

SignalCatcher::~SignalCatcher() {
  for (size_t i = 0; i < 3; ++i) std::signal(State::kSignals[i], state_->old_handlers[i]);
}

std::thread StartThreadWithoutSignals(std::function<void()> run) {
  return std::thread(std::move(run));
}

}  // namespace sstable::sys
