// Files of which only some are open at a time.
#ifndef SSTABLE_DB_FILE_POOL_H_
#define SSTABLE_DB_FILE_POOL_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "db/lru_map.h"
#include "sstable/file.h"

namespace sstable {

// `wanted`, but at most half as many files as the process may have open; at least 1.
size_t AllowedFiles(size_t wanted);

// Threads:  any number may use the pool and its files at once. During a Read() a file is open even
//           if the pool has just closed it, so that there is one more descriptor a thread.
// Lifetime: must outlive its files.
class FilePool {
 public:
  // Keeps up to AllowedFiles(`capacity`) files open.
  explicit FilePool(size_t capacity);

  // Opens a regular file for reading with pread. Its Read() opens it again if need be; Aborted if
  // by then it has been removed or is another one. Errors: those of OpenFile().
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> Open(const std::string& path);

 private:
  class PooledFile;
  using OpenedFile = std::shared_ptr<const RandomAccessFile>;

  // The opened file; opens it if it is not.
  absl::StatusOr<OpenedFile> Find(const PooledFile& file);
  absl::StatusOr<OpenedFile> OpenNow(const std::string& path);
  void Forget(const PooledFile& file);

  std::mutex mutex_;
  LruMap<const PooledFile*, OpenedFile> opened_;
};

}  // namespace sstable

#endif  // SSTABLE_DB_FILE_POOL_H_
