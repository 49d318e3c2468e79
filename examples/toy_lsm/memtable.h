// The latest changes, in a skip list of internal keys in memory.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_MEMTABLE_H_
#define SSTABLE_EXAMPLES_TOY_LSM_MEMTABLE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/iterator.h"
#include "sstable/table_reader.h"

namespace toy_lsm {

// Threads: one at a time may add; any number may read meanwhile, without waiting. Entries are never
//          changed or removed: a newer version is inserted before the older ones.
class MemTable {
 public:
  MemTable();

  // Adds the changes of a WriteBatch. If this fails or throws, some may have been added and can't
  // be removed; nothing else may be added then.
  absl::Status Add(absl::string_view batch);

  // Returns the newest version of `key` visible to `snapshot`. If kAbsent, tables may still have
  // one.
  sstable::Presence Find(absl::string_view key, uint64_t snapshot, std::string* value) const;

  // Iterates over internal keys. The memtable must outlive the iterator.
  std::unique_ptr<sstable::Iterator> NewIterator() const;

  size_t size() const { return size_.load(std::memory_order_relaxed); }  // bytes used by entries

 private:
  static constexpr int kMaxHeight = 12;
  struct Node;
  class Iterator;
  using Path = std::array<Node*, kMaxHeight>;

  Node* NewNode(int height, size_t key_size, size_t value_size);

  // Returns the first node at or after `internal_key`, or null. Sets `path` to the last node before
  // it on each level, or head_. Use the returned node: loading that node's successor again may give
  // one that was added since.
  Node* Seek(absl::string_view internal_key, Path* path) const;

  std::vector<std::unique_ptr<char[]>> blocks_;  // own the nodes
  char* free_ = nullptr;                         // free space in the last block
  size_t free_size_ = 0;
  std::atomic<size_t> size_{0};
  std::minstd_rand random_;
  Node* const head_;  // precedes all nodes and has no entry
  Path tails_;        // the last node of each level
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_MEMTABLE_H_
