#include "tests/examples/toy_lsm/fake_sync.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace {

std::atomic<int> notes{-1};

// Returns inode number and birth time, since the inode number of a removed file is soon reused.
std::string IdentityOf(int folder, const char* path, struct statx* info) {
  if (::statx(folder, path, AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, info) != 0) return "";
  return absl::StrCat(info->stx_ino, ".", info->stx_btime.tv_sec, ".", info->stx_btime.tv_nsec);
}

// Records how much of a file is synced, or the contents of a folder.
void Note(int descriptor) {
  if (notes < 0) return;
  struct statx info;
  const std::string identity = IdentityOf(descriptor, "", &info);
  std::string lines = absl::StrCat("\nsize ", identity, " ", info.stx_size, " .\n");
  if (S_ISDIR(info.stx_mode)) {
    lines = "\n";
    const auto folder = std::filesystem::read_symlink(absl::StrCat("/proc/self/fd/", descriptor));
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string file = IdentityOf(AT_FDCWD, entry.path().c_str(), &info);
      if (!file.empty()) absl::StrAppend(&lines, "name ", file, " 0 .\n");
    }
  }
  ASSERT_EQ(::write(notes, lines.data(), lines.size()), lines.size());
}

}  // namespace

extern "C" int fsync(int descriptor) {
  Note(descriptor);
  return 0;
}

extern "C" int fdatasync(int descriptor) {
  Note(descriptor);
  return 0;
}

namespace toy_lsm::test {

void NoteSyncs(const std::string& path) {
  notes = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ASSERT_GE(notes, 0);
}

void LosePower(const std::string& folder, const std::string& notes_path) {
  std::map<std::string, uint64_t> sizes, named;  // keyed by IdentityOf()
  std::ifstream stream(notes_path);
  std::string kind, identity, end;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    uint64_t size = 0;
    // A killed process may leave an incomplete line.
    if (!(words >> kind >> identity >> size >> end) || end != ".") continue;
    (kind == "size" ? sizes : named)[identity] = size;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    struct statx info;
    identity = IdentityOf(AT_FDCWD, entry.path().c_str(), &info);
    ASSERT_FALSE(identity.empty());
    if (named.count(identity) == 0 && name != "CURRENT") {
      std::filesystem::remove(entry.path());
    } else {
      std::filesystem::resize_file(entry.path(),
                                   std::min<uint64_t>(info.stx_size, sizes[identity]));
    }
  }
}

}  // namespace toy_lsm::test
