#include "db/file_pool.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "util/status_util.h"

namespace sstable {

size_t AllowedFiles(size_t wanted) {
  struct rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    wanted = std::min<size_t>(wanted, limit.rlim_cur / 2);
  }
  return std::max<size_t>(wanted, 1);
}

class FilePool::PooledFile final : public RandomAccessFile {
 public:
  PooledFile(FilePool* pool, const std::string& path, uint64_t size)
      : RandomAccessFile(path, size), pool_(*pool) {}
  ~PooledFile() override { pool_.Forget(*this); }

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    ASSIGN_OR_RETURN(const OpenedFile file, pool_.Find(*this));
    return file->Read(offset, size, dst);
  }

 private:
  FilePool& pool_;
};

FilePool::FilePool(size_t capacity) : opened_(AllowedFiles(capacity)) {}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> FilePool::Open(const std::string& path) {
  std::unique_ptr<PooledFile> file;  // first, since its destructor takes the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  ASSIGN_OR_RETURN(OpenedFile opened, OpenNow(path));
  file = std::make_unique<PooledFile>(this, path, opened->size());
  opened_.Insert(file.get(), std::move(opened));
  return file;
}

absl::StatusOr<FilePool::OpenedFile> FilePool::Find(const PooledFile& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const OpenedFile* const opened = opened_.Find(&file)) return *opened;
  auto opened = OpenNow(file.name());
  if (absl::IsNotFound(opened.status()) || (opened.ok() && (*opened)->size() != file.size())) {
    return absl::AbortedError("was removed or replaced since it was first opened");
  }
  if (opened.ok()) opened_.Insert(&file, *opened);
  return opened;
}

absl::StatusOr<FilePool::OpenedFile> FilePool::OpenNow(const std::string& path) {
  auto file = OpenDatabaseFile(path);
  // Something else has taken the descriptors that were thought to be there.
  while (absl::IsResourceExhausted(file.status()) && opened_.EraseOldest()) {
    file = OpenDatabaseFile(path);
  }
  RETURN_IF_ERROR(file.status());
  return OpenedFile(*std::move(file));
}

void FilePool::Forget(const PooledFile& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  opened_.Erase(&file);
}

}  // namespace sstable
