// The changes in a database's logs, sorted in memory.
#ifndef SSTABLE_DB_LOG_ENTRIES_H_
#define SSTABLE_DB_LOG_ENTRIES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "db/key_search.h"
#include "filter/lookup_filter.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/internal_key.h"
#include "table/block/key_order.h"
#include "table/table_filter_block.h"
#include "table/table_internals.h"

namespace sstable {

// Pattern: Add* Sort, then any reading.
// Memory:  the keys and values, and about 60 bytes per change.
// Threads: after Sort(), any number may read.
class LogEntries {
 public:
  struct Entry {
    absl::string_view key() const { return {bytes, key_size}; }
    absl::string_view value() const { return {bytes + key_size, value_size}; }

    const char* bytes = nullptr;
    size_t key_size = 0;  // size of the internal key
    uint32_t value_size = 0;
    uint32_t log_index = 0;
    uint64_t offset = 0;  // where the record is in the log
  };

  void Add(const BatchChange& change, uint32_t log_index, uint64_t offset);

  // Sorts by internal key. If entries have the same key, keeps the last one added, like LevelDB,
  // and returns the earlier ones that have a different value. Borrows `order`.
  std::vector<Entry> Sort(const KeyOrder* order);

  const std::vector<Entry>& entries() const { return entries_; }
  // Returns the index of the first entry not below `key`, or entries().size().
  size_t Find(const LookupKey& key) const {
    return search_.Find(key, [this](size_t i) { return entries_[i].key(); });
  }
  // Updates `*newest` if the logs have a newer version of the user key that `key` may see.
  void FindNewer(const LookupKey& key, NewestVersion* newest) const {
    if (entries_.empty() ||
        AskTableFilter(filter_.filter.get(), key.user_key) == FilterAnswer::kAbsent)
      return;
    FindNewerThere(key, newest);
  }

 private:
  void FindNewerThere(const LookupKey& key, NewestVersion* newest) const;
  char* Allocate(size_t size);
  void MakeFilter();

  const KeyOrder* order_ = nullptr;
  std::vector<Entry> entries_;
  KeySearch search_;
  TableFilterBlock filter_;  // over the user keys; only if their order is bytewise
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* free_ = nullptr;  // in the last chunk
  size_t free_size_ = 0;
};

}  // namespace sstable

#endif  // SSTABLE_DB_LOG_ENTRIES_H_
