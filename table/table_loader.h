// The index and filter of a table, and the rules for loading them.
#ifndef SSTABLE_TABLE_TABLE_LOADER_H_
#define SSTABLE_TABLE_TABLE_LOADER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/status/statusor.h"
#include "table/block/block_io.h"
#include "table/loaded_table.h"
#include "table/raw_index.h"
#include "table/table_parts.h"

namespace sstable {

// Loads once, but retries what could not be read from the file. Before it loads, lookups may search
// the index block as it is in the file.
class TableLoader {
 public:
  explicit TableLoader(const TableParts* table) : table_(*table) {}

  enum class Retry { kAtTimes, kNow };  // when to load again if only the filter is missing
  // Returns the loaded table if it is complete and has an index, otherwise null.
  const LoadedTable* loaded() const { return loaded_.load(std::memory_order_acquire); }
  // Also returns a table whose index is damaged. Reads nothing, but waits for a thread that is
  // loading.
  const LoadedTable* complete() {
    if (const LoadedTable* const done = loaded(); done != nullptr) return done;
    const std::lock_guard<std::mutex> lock(mutex_);
    return complete_.get();
  }

  // The index block that lookups search before anything is loaded. Null, with `*loaded` set as by
  // Load(), if loading is due, or if the index block can't be read.
  std::shared_ptr<RawIndex> RawIndexOrLoad(const LoadedTable** loaded) {
    std::shared_ptr<RawIndex> index = raw_index();
    return ABSL_PREDICT_TRUE(index != nullptr) ? index : ReadRawIndex(loaded);
  }

  // For iterators, which need no filter. Reading the index and single blocks of a file costs less
  // than mapping it, so this returns a table that has only the index until the file is mapped, or
  // iterators have made as many seeks as RawIndex takes lookups. After that it does what Load()
  // does, unless it has that index and `seeks`, the number of seeks to come, is 0.
  const LoadedTable& LoadIndex(uint64_t seeks) {
    const LoadedTable* const done = loaded();
    return ABSL_PREDICT_TRUE(done != nullptr) ? *done : LoadIndexNow(seeks);
  }

  // There may be no index if it could not be read from the file; once there is one, it stays.
  const LoadedTable& Load(Retry retry = Retry::kAtTimes) {
    const LoadedTable* const done = loaded();
    return ABSL_PREDICT_TRUE(done != nullptr) ? *done : LoadNow(retry);
  }

 private:
  std::shared_ptr<RawIndex> raw_index() {
    const std::lock_guard<std::mutex> lock(raw_index_mutex_);
    return raw_index_;
  }
  void SetRawIndex(std::shared_ptr<RawIndex> index) {
    const std::lock_guard<std::mutex> lock(raw_index_mutex_);
    raw_index_ = std::move(index);
  }
  std::shared_ptr<RawIndex> ReadRawIndex(const LoadedTable** loaded);
  absl::StatusOr<BlockContents> ReadIndexToLoad();
  const LoadedTable& LoadIndexNow(uint64_t seeks);
  const LoadedTable& LoadNow(Retry retry);
  const LoadedTable& LoadLocked(Retry retry);
  const LoadedTable& Keep(std::unique_ptr<LoadedTable> loaded);
  const LoadedTable& KeepFailure(std::unique_ptr<LoadedTable> failed);
  std::unique_ptr<LoadedTable> ReadIndexOnly() const;
  std::unique_ptr<LoadedTable> Read(absl::StatusOr<BlockContents> index) const;
  void ReadFilter(LoadedTable* loaded) const;
  void ReadTableFilter(LoadedTable* loaded) const;
  // Drops a filter that does not contain keys that the table has (validate_filters.cc).
  void ValidateFilters(LoadedTable* loaded) const;

  const TableParts& table_;

  // Set once there is an index and no missing part is worth another try.
  std::atomic<const LoadedTable*> loaded_{nullptr};
  // Null before it is read, and once something is loaded. Shared with the lookups that use it.
  std::shared_ptr<RawIndex> raw_index_;
  std::mutex raw_index_mutex_;  // guards raw_index_
  // Serializes loading. A std::mutex, since ThreadSanitizer sees it.
  std::mutex mutex_;
  bool has_tried_raw_index_ = false;
  // Keeps the bytes alive after raw_index_ is cleared, if a loaded index refers to them.
  std::shared_ptr<RawIndex> kept_raw_index_;
  std::unique_ptr<LoadedTable> index_only_;  // for LoadIndex()
  uint64_t index_seeks_ = 0;
  std::unique_ptr<LoadedTable> complete_;    // unlike loaded_, it may have no index
  std::unique_ptr<LoadedTable> incomplete_;  // has no filter; its index may be in use
  uint64_t calls_until_retry_ = 0;           // while there is only incomplete_
  uint64_t retry_distance_ = 1;
  // One for each failure to read the index; callers may still refer to them.
  std::vector<std::unique_ptr<LoadedTable>> failures_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_TABLE_LOADER_H_
