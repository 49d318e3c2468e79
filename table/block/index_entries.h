// Parses index and metaindex blocks that nothing but their contents identifies, and matches their
// entries with blocks that were found.
#ifndef SSTABLE_TABLE_BLOCK_INDEX_ENTRIES_H_
#define SSTABLE_TABLE_BLOCK_INDEX_ENTRIES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/format.h"
#include "table/block/block.h"
#include "table/block/key_order.h"
#include "table/block/limits.h"

namespace sstable {

struct IndexEntry {
  std::string key;
  BlockHandle handle;
};
using Index = std::vector<IndexEntry>;

// The first byte after a block's trailer.
inline uint64_t EndOf(const BlockHandle& handle) {
  return handle.offset + handle.size + kBlockTrailerSize;
}

// Parses keys and handles. Returns nullopt if a value is not a handle, or if they take more than
// `memory` bytes. Bytes after a handle are padding; with `strict` they must be zeros. With
// `others`, entries whose value is not a handle are skipped and counted there, as long as handles
// are in the majority: an index may have a damaged entry.
std::optional<Index> ParseHandles(const Block& block, bool strict, Budget* memory,
                                  size_t* others = nullptr);

// Returns true if the blocks are contiguous from offset 0, as only those of an index are.
bool IsBackToBack(const Index& index);

// Returns false if the order is IndexedDB's and the key does not have IndexedDB's format.
bool MayBeIn(const KeyOrder& order, absl::string_view key);

// Determines the order of a table's keys from its index keys; nullopt if they show no known order.
// `given`: the order of plain or user keys, if it is known.
std::optional<KeyOrder> OrderOf(const Index& index, const Comparator* given);

// Sorts an index by offset, which is also the order of keys, and removes duplicate handles.
void SortByOffset(Index* index);

// Finds the entries of data blocks in an index that is sorted by offset. Borrows it.
class IndexFinder {
 public:
  // `comparator`: the order of plain or user keys, if it is known.
  IndexFinder(const Index* index, const Comparator* comparator);

  // Returns true if entry `i` may be that of a block with these keys. In an unknown order, returns
  // false only if another entry has the block's last key.
  bool MayBeEntryOf(size_t i, absl::string_view first_key, absl::string_view last_key) const;

  // Finds the entry of a block by its keys and size, since the block may have moved. If the order
  // is not known, by its last key and size.
  std::optional<size_t> FindByKey(const BlockHandle& handle, absl::string_view first_key,
                                  absl::string_view last_key) const;
  // Finds the entry as FindByKey() does or, failing that, by the block's offset.
  std::optional<size_t> Find(const BlockHandle& handle, absl::string_view first_key,
                             absl::string_view last_key) const;

 private:
  const Index& index_;
  const std::optional<KeyOrder> order_;
  absl::flat_hash_map<absl::string_view, size_t> by_key_;  // only without an order
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_INDEX_ENTRIES_H_
