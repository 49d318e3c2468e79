#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/file.h"
#include "sstable/slice.h"
#include "util/atomic_file.h"
#include "util/descriptor.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable {
namespace {

class DescriptorFile : public WritableFile {
 public:
  DescriptorFile(std::string name, int descriptor)
      : WritableFile(std::move(name)), descriptor_(descriptor) {}

  absl::Status Append(absl::string_view data) override {
    while (!data.empty()) {
      const ptrdiff_t count =
          Uninterrupted([&] { return sys::Write(descriptor_, data.data(), data.size()); });
      if (count == 0) errno = EIO;  // write() made no progress; retrying could loop forever.
      if (count <= 0) return ErrnoError(name(), "can't write");
      data.remove_prefix(static_cast<size_t>(count));
    }
    return absl::OkStatus();
  }

  absl::Status Sync() override {
    // EINVAL: pipes and the like can't be synced, and need not be.
    if (Uninterrupted([&] { return sys::SyncData(descriptor_); }) != 0 && errno != EINVAL) {
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

  // Creates the temporary file; from then on, this object removes it. Call once. Errors are left in
  // errno.
  bool Create(std::string temporary_path) {
    descriptor_ = OpenDescriptor(temporary_path, sys::OpenFor::kCreate);
    if (descriptor_ >= 0) temporary_path_ = std::move(temporary_path);
    return descriptor_ >= 0;
  }

  // Sets the mode of the file that will be replaced. Errors are left in errno.
  bool TakeMode(uint32_t mode) {
    return Uninterrupted([&] { return sys::SetMode(descriptor_, mode); }) == 0;
  }

  ~AtomicFile() override {
    if (descriptor_ >= 0) sys::Close(descriptor_);
    if (temporary_path_.empty()) return;
    Uninterrupted([&] { return sys::Remove(temporary_path_); });
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
    // Open the folder first, so that a failure changes nothing.
    const std::string folder_path = FolderOf(name());
    const ScopedDescriptor folder(synced_ ? OpenDescriptor(folder_path, sys::OpenFor::kFolder)
                                          : -1);
    if (synced_ && folder.get() < 0) {
      return ErrnoError(name(), absl::StrCat("can't open its folder ", folder_path, " to sync it"));
    }
    // Some file systems report a failed write only here.
    if (sys::Close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) {
      return ErrnoError(name(), "can't close");
    }
    if (Uninterrupted([&] { return sys::Rename(temporary_path_, name()); }) != 0) {
      return ErrnoError(name(), absl::StrCat("can't rename ", temporary_path_, " to it"));
    }
    temporary_path_.clear();
    if (synced_ && Uninterrupted([&] { return sys::SyncFolder(folder.get()); }) != 0 &&
        errno != EINVAL) {
      return ErrnoError(name(), absl::StrCat("is complete and in place, but a crash may undo that: "
                                             "can't sync its folder ",
                                             folder_path));
    }
    return absl::OkStatus();
  }

 private:
  static std::string FolderOf(const std::string& path) {
    const size_t size = sys::FolderPartSize(path);
    return size == 0 ? "." : path.substr(0, size);
  }

  std::string temporary_path_;  // empty once renamed
  bool synced_ = false;
  absl::Status status_;  // first error of Append or Sync; a file with a gap is never renamed
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

// Returns the path that the symbolic link `path` leads to, even if nothing is there, or `path`
// itself if it is not a link.
absl::StatusOr<std::string> FollowLinks(absl::string_view path) {
  constexpr int kMaxLinks = 40;  // the limit on Linux
  std::string target(path);
  for (int i = 0; i < kMaxLinks; ++i) {
    std::string destination;
    if (!sys::ReadLink(target, &destination)) {
      if (errno == EINVAL || errno == ENOENT) return target;  // not a link, or nothing there
      return ErrnoError(path, "can't tell whether it is a link");
    }
    target.replace(sys::IsAbsolute(destination) ? 0 : sys::FolderPartSize(target),
                   std::string::npos, destination);
  }
  return absl::InvalidArgumentError(absl::StrCat(path, ": is a loop of symbolic links"));
}

// Returns a name in the folder of `target`, not longer than file systems allow.
std::string TemporaryName(absl::string_view target, uint64_t number) {
  constexpr size_t kKeptSize = 200;  // file systems allow 255
  return absl::StrCat(target.substr(0, sys::FolderPartSize(target) + kKeptSize), ".tmp-",
                      sys::ProcessId(), "-", number);
}

}  // namespace

absl::StatusOr<std::unique_ptr<WritableFile>> CreateFileAtomically(Slice path) {
  std::string unused;
  return CreateFileAtomically(path, &unused);
}

absl::StatusOr<std::unique_ptr<WritableFile>> CreateFileAtomically(Slice path,
                                                                   std::string* temporary_path) {
  if (path.empty()) return absl::NotFoundError("can't create a file without a name");
  RETURN_IF_ERROR(CheckHasNoNul(path));
  ASSIGN_OR_RETURN(std::string target, FollowLinks(path));
  FileInfo old;
  const bool replaces = StatFile(target, &old);
  if (!replaces && errno != ENOENT) return ErrnoError(path, "can't stat");
  if (replaces && old.type != FileType::kRegular) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, old.type == FileType::kFolder ? ": is a folder"
                                                         : ": exists and is not a regular file"));
  }
  static std::atomic<uint64_t> counter{0};
  auto file = std::make_unique<AtomicFile>(std::move(target));
  for (int tries = 0; tries < 100; ++tries) {
    *temporary_path = TemporaryName(file->name(), counter.fetch_add(1));
    if (!file->Create(*temporary_path)) {
      if (errno == EEXIST) continue;
      return ErrnoError(path, "can't create");
    }
    if (replaces && !file->TakeMode(old.mode)) {
      return ErrnoError(path, "can't take over the mode of the old file");
    }
    return file;
  }
  return absl::AlreadyExistsError(absl::StrCat(path, ": no free temporary name beside it"));
}

std::unique_ptr<WritableFile> NewDescriptorFile(int descriptor, Slice name) {
  return std::make_unique<DescriptorFile>(std::string(name), descriptor);
}

std::unique_ptr<WritableFile> NewStringFile(std::string* contents, Slice name) {
  return std::make_unique<StringFile>(std::string(name), contents);
}

}  // namespace sstable
