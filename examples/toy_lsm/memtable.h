// The latest changes, in memory.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_MEMTABLE_H_
#define SSTABLE_EXAMPLES_TOY_LSM_MEMTABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "table/iterator.h"
#include "table/key_order.h"
#include "table/table_reader.h"

namespace toy_lsm {

// Threads: any. Nothing is ever removed or changed, so what an iterator is on stays there while
//          others add; only to go on it takes the lock.
class MemTable {
 public:
  // Adds the changes of a WriteBatch's bytes, the first with `sequence`, the others with those
  // behind it. Returns the last sequence.
  absl::StatusOr<uint64_t> Add(uint64_t sequence, absl::string_view batch);

  // The newest version of `key` that `snapshot` can see. kAbsent: older tables may have one.
  sstable::Presence Find(absl::string_view key, uint64_t snapshot, std::string* value) const;

  // Over internal keys. The memtable must outlive it.
  std::unique_ptr<sstable::Iterator> NewIterator() const;

  size_t size() const { return size_; }  // about the bytes that it takes

 private:
  class Iterator;
  struct Less {
    using is_transparent = void;
    bool operator()(absl::string_view a, absl::string_view b) const {
      return sstable::KeyOrder::CompareInternalBytewise(a, b) < 0;
    }
  };

  mutable std::shared_mutex mutex_;
  std::map<std::string, std::string, Less> entries_;  // by internal key
  std::atomic<size_t> size_{0};
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_MEMTABLE_H_
