#include "sstable/file.h"

#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/slice.h"
#include "util/descriptor.h"
#include "util/mapped_file.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable {
namespace {

class DescriptorReadFile final : public RandomAccessFile {
 public:
  DescriptorReadFile(std::string name, uint64_t size, ScopedDescriptor descriptor)
      : RandomAccessFile(std::move(name), size), descriptor_(std::move(descriptor)) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    return ReadAt(descriptor_.get(), this->size(), offset, size, dst);
  }

  void WillNeed(uint64_t offset, uint64_t size) const override {
    sys::WillRead(descriptor_.get(), offset, size);
  }

 private:
  ScopedDescriptor descriptor_;
};

class MemoryFile final : public RandomAccessFile {
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

absl::StatusOr<std::unique_ptr<RandomAccessFile>> WrapDescriptor(ScopedDescriptor descriptor,
                                                                 absl::string_view name,
                                                                 FileAccess access) {
  FileInfo info;
  if (!StatDescriptor(descriptor.get(), &info)) return ErrnoError(name, "can't stat");
  if (info.type != FileType::kRegular) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, info.type == FileType::kFolder ? ": is a folder" : ": is not a regular file"));
  }
  if (access == FileAccess::kRead || info.size == 0 || !sys::kMapsFiles) {
    return std::make_unique<DescriptorReadFile>(std::string(name), info.size,
                                                std::move(descriptor));
  }
  return MappedFile::Open(std::string(name), info.size, std::move(descriptor), info.owner);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenFile(Slice path, FileAccess access) {
  if (path.empty()) return absl::NotFoundError("can't open a file without a name");
  RETURN_IF_ERROR(CheckHasNoNul(path));
  // Do not wait for the writer of a pipe; pipes are refused below.
  ScopedDescriptor descriptor(OpenDescriptor(std::string(path), sys::OpenFor::kReadWithoutWait));
  if (descriptor.get() < 0) return ErrnoError(path, "can't open");
  return WrapDescriptor(std::move(descriptor), path, access);
}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenFileDescriptor(int descriptor, Slice name,
                                                                     FileAccess access) {
  ScopedDescriptor duplicate(sys::Duplicate(descriptor));
  if (duplicate.get() < 0) return ErrnoError(name, "can't duplicate the descriptor");
  return WrapDescriptor(std::move(duplicate), name, access);
}

std::unique_ptr<RandomAccessFile> NewMemoryFile(Slice contents, Slice name) {
  return std::make_unique<MemoryFile>(std::string(name), contents);
}

}  // namespace sstable
