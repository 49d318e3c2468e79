// For system_windows.cc and system_windows_process.cc: the system's errors and texts in ours.
#ifndef SSTABLE_UTIL_SYSTEM_WINDOWS_H_
#define SSTABLE_UTIL_SYSTEM_WINDOWS_H_

#include <windows.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "absl/strings/string_view.h"

namespace sstable::sys {

inline int ErrnoOf(DWORD error) {
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
inline bool Failed() {
  errno = ErrnoOf(GetLastError());
  return false;
}

inline int Fail() {
  Failed();
  return -1;
}

inline std::wstring ToWide(absl::string_view text) {
  const int size = static_cast<int>(text.size());
  std::wstring wide(MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), size, &wide[0], static_cast<int>(wide.size()));
  return wide;
}

inline std::string FromWide(const std::wstring& wide) {
  const int size = static_cast<int>(wide.size());
  std::string text(WideCharToMultiByte(CP_UTF8, 0, wide.data(), size, nullptr, 0, nullptr, nullptr),
                   '\0');
  WideCharToMultiByte(CP_UTF8, 0, wide.data(), size, &text[0], static_cast<int>(text.size()),
                      nullptr, nullptr);
  return text;
}

// Returns the absolute form of `path`.
inline std::wstring FullPath(const std::wstring& path) {
  std::wstring full(GetFullPathNameW(path.c_str(), 0, nullptr, nullptr), L'\0');
  full.resize(GetFullPathNameW(path.c_str(), static_cast<DWORD>(full.size()), &full[0], nullptr));
  return full;
}

inline constexpr std::wstring_view kLongPath = L"\\\\?\\", kLongSharePath = L"\\\\?\\UNC\\";

inline bool StartsWith(const std::wstring& text, std::wstring_view part) {
  return text.compare(0, part.size(), part) == 0;
}

// A complete path of MAX_PATH (260) characters or more needs a prefix, after which only '\'
// separates names.
inline std::wstring SystemPath(absl::string_view path) {
  constexpr size_t kMaxPlainSize = 240;  // leaves room for an 8.3 name in a folder
  const std::wstring wide = ToWide(path);
  std::wstring full = FullPath(wide);
  if (StartsWith(full, kLongPath)) return full;
  if (full.size() < kMaxPlainSize) return wide;
  const bool is_share = StartsWith(full, L"\\\\");
  return full.replace(0, is_share ? 2 : 0, is_share ? kLongSharePath : kLongPath);
}

}  // namespace sstable::sys

#endif  // SSTABLE_UTIL_SYSTEM_WINDOWS_H_
