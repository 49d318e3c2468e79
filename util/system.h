// Operating system calls, implemented in system_posix*.cc and system_windows*.cc. No other file of
// the library or of `sst` calls the system directly.
//
// Paths:     UTF-8; on Windows '/' and '\' separate names, and a long path needs no prefix.
// Errors:    unless stated otherwise, a failed call returns -1 or false and sets errno. A signal
//            can interrupt a call; Uninterrupted() of util/descriptor.h repeats it.
// Threads:   any number at once.
#ifndef SSTABLE_UTIL_SYSTEM_H_
#define SSTABLE_UTIL_SYSTEM_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/string_view.h"

namespace sstable {

enum class FileType : uint8_t { kRegular, kFolder, kPipe, kLink, kOther };

struct FileInfo {
  FileType type = FileType::kOther;
  uint64_t size = 0;                // in bytes; 0 unless it is a regular file
  uint32_t mode = 0;                // permissions; 0 on Windows
  uint64_t owner = 0;               // user ID; 0 on Windows
  uint64_t device = 0, number = 0;  // together, the file's identity
};

namespace sys {

extern const size_t kMaxPathSize;  // every path has fewer bytes
extern const bool kMapsFiles;
extern const char* const kEndOfInputKeys;  // typed at a terminal; with a verb, as in "Ctrl-D ends"

// Returns the size of the part of `path` before its last name, including the separator.
size_t FolderPartSize(absl::string_view path);

bool IsAbsolute(absl::string_view path);

// Converts a path for std::filesystem, and back with '/' as the separator.
std::filesystem::path ToPath(absl::string_view path);
std::string FromPath(const std::filesystem::path& path);

// Files.

enum class OpenFor : uint8_t {
  kRead,             // waits for the writer of a pipe
  kReadWithoutWait,  // does not wait
  kCreate,           // to write a file that does not exist yet
  kFolder,           // for SyncFolder()
};

// On Windows, other programs may still read, write, rename and delete the file.
int Open(const std::string& path, OpenFor use);
int Duplicate(int descriptor);
int Close(int descriptor);
ptrdiff_t Read(int descriptor, char* dst, size_t size);
// On Windows, this moves the file position, which duplicated descriptors share.
ptrdiff_t ReadAt(int descriptor, uint64_t offset, char* dst, size_t size);
ptrdiff_t Write(int descriptor, const char* data, size_t size);
// A hint that these bytes will be read soon.
void WillRead(int descriptor, uint64_t offset, uint64_t size);
int64_t Position(int descriptor);
int SyncData(int descriptor);
bool Stat(const std::string& path, FileInfo* info);
bool StatDescriptor(int descriptor, FileInfo* info);
int SetMode(int descriptor, uint32_t mode);
// Opens a new file without a name for reading and writing. On Windows it has a name until it is
// closed.
int OpenNameless(const std::string& folder);
int MakeWaiting(int descriptor);  // undoes kReadWithoutWait
bool IsNamelessPipe(int descriptor);
bool IsTerminal(int descriptor);
// Returns false if nothing can be read within that time. On Windows it waits only for a console and
// otherwise returns true, so the next Read() of a pipe may wait.
bool WaitForInput(int descriptor, int milliseconds);

// Names.

int Rename(const std::string& from, const std::string& to);  // replaces `to` if it exists
int Remove(const std::string& path);
int HardLink(const std::string& target, const std::string& path);
// Makes a file that shares its blocks with an old one; not every file system can.
bool Clone(const std::string& old_path, const std::string& path);
// Returns the target of a symbolic link. EINVAL: `path` is not a link.
bool ReadLink(const std::string& path, std::string* target);
int SyncFolder(int descriptor);
// Writes all files of a folder to the disk, and possibly other files.
bool SyncFilesIn(const std::string& folder);
// Gives `to` the owner and group of `from`, as far as the process may, and its mode with read and
// write permission for the owner added. Does nothing if both are the same file; ignores errors.
void CopyModeAndOwner(const std::string& from, const std::string& to);

class Folder {
 public:
  Folder();
  ~Folder();
  bool Open(const std::string& path);
  // Returns false at the end, with errno 0, and on failure. Skips "." and "..". `*type` is kOther
  // if only Stat() can determine it.
  bool Next(std::string* name, FileType* type);
  bool Stat(const std::string& name, bool follow_link, FileInfo* info) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Mappings.

size_t PageSize();
// Returns nullptr on failure.
char* Map(int descriptor, size_t size);
// Maps the same pages once more. Returns nullptr on failure.
char* MapAgain(char* address, size_t size);
void Unmap(char* address, size_t size);
enum class Use : uint8_t { kRandom, kNormal, kSoon };
void Advise(char* address, size_t size, Use use);
// Returns true if AreInMemory() works for this user's files.
bool KnowsMemoryOf(uint64_t owner);
bool AreInMemory(char* address, size_t page_count);  // at most 8 pages
void AdviseHugePages(void* address, size_t size);
void* AllocateAligned(size_t alignment, size_t size);  // nullptr: failed
void FreeAligned(void* p);

// The process.

uint64_t ProcessId();
uint64_t MaxDescriptors();
double ThreadSeconds();  // the calling thread's processor time
std::string TemporaryFolder();
// Sets the permissions that new files and folders do not get, and returns the previous mask.
uint32_t SetFileMask(uint32_t mask);
// The mask for files and folders that nobody else may use.
constexpr uint32_t kPrivateMask = 077;
// Prepares the standard streams, limits and signals for a tool. Call it first in main().
void PrepareProcess();
std::vector<std::string> Arguments(int argc, char** argv);  // without the program's name

// While it exists, SIGINT, SIGHUP and SIGTERM call `handler` and interrupt blocking calls. On
// Windows, only the first Ctrl-C or Ctrl-Break does, and it interrupts only reads of a console.
class SignalCatcher {
 public:
  explicit SignalCatcher(void (*handler)(int signal));
  ~SignalCatcher();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Starts a thread that no signal interrupts. Throws std::system_error.
std::thread StartThreadWithoutSignals(std::function<void()> run);

}  // namespace sys
}  // namespace sstable

#endif  // SSTABLE_UTIL_SYSTEM_H_
