// The entries of an index or metaindex block whose place in a file proves nothing: parsed, and
// compared with blocks that were found.
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

// Keys and handles; nullopt if a value is no handle, or if they take more memory, in bytes, than
// is left of `memory`. What follows a handle is padding; `strict`: it is zeros. With `others`,
// entries whose value is no handle are left out and counted there, as long as handles outweigh
// them: an index may have a damaged entry.
std::optional<Index> ParseHandles(const Block& block, bool strict, Budget* memory,
                                  size_t* others = nullptr);

// Whether the blocks stand back to back from offset 0, as no values but those of an index do.
bool IsBackToBack(const Index& index);

// The order of a table's keys as its index keys show it; nullopt if they show none. `given`:
// that of plain or user keys, if it is known.
std::optional<KeyOrder> OrderOf(const Index& index, const std::optional<const Comparator*>& given);

// Sorts an index by offsets, which is the order of keys, too, and leaves out handles that are there
// twice.
void SortByOffset(Index* index);

// Finds the entries of data blocks in an index that is sorted by offset. Borrows it.
class IndexFinder {
 public:
  // `comparator`: that of plain or user keys, if it is known.
  IndexFinder(const Index* index, const std::optional<const Comparator*>& comparator);

  // Whether entry `i` may be that of a block with these keys. If the order is not known, it is not
  // where the last key is another entry's.
  bool IsPlaceOf(size_t i, absl::string_view first_key, absl::string_view last_key) const;

  // The entry of a block by its keys and size, so that the block may have moved. Where the order is
  // not known, by its last key and size.
  std::optional<size_t> FindByKey(const BlockHandle& handle, absl::string_view first_key,
                                  absl::string_view last_key) const;
  // The same, else by its place.
  std::optional<size_t> Find(const BlockHandle& handle, absl::string_view first_key,
                             absl::string_view last_key) const;

 private:
  const Index& index_;
  const std::optional<KeyOrder> order_;
  absl::flat_hash_map<absl::string_view, size_t> by_key_;  // only without an order
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_INDEX_ENTRIES_H_
