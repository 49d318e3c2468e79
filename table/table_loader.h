// Index and filter of a table, and when they are read.
#ifndef SSTABLE_TABLE_TABLE_LOADER_H_
#define SSTABLE_TABLE_TABLE_LOADER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/table_reader.h"
#include "table/block/block_io.h"
#include "table/cached_blocks.h"
#include "table/index_in_place.h"
#include "table/table_filter_block.h"
#include "table/table_index.h"

namespace sstable {

// What is loaded of a table, once that pays.
struct LoadedTable {
  BlockStatus index_status;
  std::optional<TableIndex> index;

  BlockStatus filter_status;
  BlockContents filter_contents;  // kBloomLoadSize readable bytes follow
  std::optional<InternalFilterPolicy> internal_filter_policy;
  std::optional<FilterBlockReader> filter;  // set only if lookups are to ask it
  // Of that filter, and what lookups ask it by: user keys, also where it is one of internal keys.
  const FilterPolicy* filter_policy = nullptr;
  const BloomTraits* bloom = nullptr;  // the policy's, if it is a Bloom filter
  std::optional<FilterBlockReader>
      rejected_filter;  // one that does not contain all keys: for reports

  void DropFilter();
  // Does without both filters, since a block that shows whether they can be trusted can't be read.
  void LeaveOutFilters(const BlockStatus& reason);

  TableFilterBlock table_filter;

  // Of both filters: OK if lookups ask one, and no other that is known can't be used.
  const BlockStatus& FilterStatus() const;

  const char* file_bytes = nullptr;  // the file, if it is in memory
  // As in the first data block: bytes between the places that a search of a block looks at,
  // which are restart points, or entries where a block has one restart point.
  size_t search_stride = 1024;

  // Set only if there are an index and a cache.
  std::optional<CachedBlocks> cached_blocks;

  // Whether something is left out only because of a read that may succeed another time.
  bool is_incomplete = false;
};

// Loads once; what could not be read from the file, it reads again. Until then, lookups may search
// the index block in place.
//
// Ownership: borrows the reader that it is part of. What it has loaded lives as long as it does.
// Threads:   any number may load at once; once all is loaded, nothing is locked.
class TableLoader {
 public:
  explicit TableLoader(const TableReader::Impl* reader) : reader_(*reader) {}

  enum class Retry { kAtTimes, kNow };  // if only the filter is missing
  // All that there is to load; null if it is not loaded.
  const LoadedTable* loaded() const { return loaded_.load(std::memory_order_acquire); }

  // What lookups search before anything is loaded. Null, and `*loaded` is as from Load(), if that
  // is due: something has called it, or the index block can't be read, or is small and the file in
  // memory.
  std::shared_ptr<IndexInPlace> InPlaceOrLoad(const LoadedTable** loaded) {
    std::shared_ptr<IndexInPlace> index = InPlace();
    return ABSL_PREDICT_TRUE(index != nullptr) ? index : ReadInPlace(loaded);
  }

  // There may be no index this time, if it could not be read from the file. Once it could be, it is
  // there.
  const LoadedTable& Load(Retry retry = Retry::kAtTimes) {
    const LoadedTable* const done = loaded();
    return ABSL_PREDICT_TRUE(done != nullptr) ? *done : LoadNow(retry);
  }

 private:
  std::shared_ptr<IndexInPlace> InPlace() {
    const std::lock_guard<std::mutex> lock(in_place_mutex_);
    return in_place_;
  }
  void SetInPlace(std::shared_ptr<IndexInPlace> index) {
    const std::lock_guard<std::mutex> lock(in_place_mutex_);
    in_place_ = std::move(index);
  }
  std::shared_ptr<IndexInPlace> ReadInPlace(const LoadedTable** loaded);
  absl::StatusOr<BlockContents> ReadIndexToLoad();
  uint64_t FilterSize() const;
  const LoadedTable& LoadNow(Retry retry);
  const LoadedTable& LoadLocked(Retry retry);
  const LoadedTable& Keep(std::unique_ptr<LoadedTable> loaded);
  const LoadedTable& KeepFailure(std::unique_ptr<LoadedTable> failed);
  std::unique_ptr<LoadedTable> Read(absl::StatusOr<BlockContents> index) const;
  void ReadFilter(LoadedTable* loaded) const;
  void ReadTableFilter(LoadedTable* loaded) const;
  // Drops a filter that does not contain keys that the table has (validate_filters.cc).
  void ValidateFilters(LoadedTable* loaded) const;

  const TableReader::Impl& reader_;

  // Set once, to all that there is to load: when none of it need be tried again.
  std::atomic<const LoadedTable*> loaded_{nullptr};
  // Null before it is read, and once something is loaded. The lookups that are in it have it, too.
  std::shared_ptr<IndexInPlace> in_place_;
  std::mutex in_place_mutex_;  // for that
  // For one thread at a time. A std::mutex, since ThreadSanitizer sees it.
  std::mutex mutex_;
  bool has_tried_in_place_ = false;
  // in_place_; and what that was, if loaded indexes are of its bytes.
  std::shared_ptr<IndexInPlace> index_in_place_;
  std::unique_ptr<LoadedTable> complete_;    // loaded_
  std::unique_ptr<LoadedTable> incomplete_;  // no filter; other threads may be using its index
  uint64_t calls_until_retry_ = 0;           // if there is an incomplete one
  uint64_t retry_distance_ = 1;
  // One for each error of reading the index, which callers may still look at.
  std::vector<std::unique_ptr<LoadedTable>> failures_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_TABLE_LOADER_H_
