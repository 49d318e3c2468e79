// Finds a key in a block without rebuilding the keys on the way.
#ifndef SSTABLE_TABLE_BLOCK_SEARCH_H_
#define SSTABLE_TABLE_BLOCK_SEARCH_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "table/block.h"
#include "table/key_order.h"
#include "util/bytes.h"

namespace sstable {

// The first entry whose key is not below the target.
struct BlockSearchResult {
  const char* entry = nullptr;  // where it starts; null if every key is below the target
  const char* next = nullptr;   // where the one behind it starts
  bool equal = false;           // its key is the target

  // Its key: TakeKey() puts it into the scratch buffer of the search.
  size_t shared = 0;
  absl::string_view key_suffix;
  absl::string_view TakeKey(KeyBuffer* scratch) const {
    scratch->Replace(shared, key_suffix);
    return scratch->view();
  }

  absl::string_view value;
};

// Searches `block` for `target`. Binary search over the restart points, then entry by entry from the
// last one below the target. For bytewise order it remembers how many bytes of the target the last
// entry matched: one that shares more is still below it, so bytes are compared only where they can
// decide. Other orders rebuild each key in `*scratch`, which the target is no view into.
// Errors: DataLoss, with the offset in the block, for the first malformed entry it meets. `*result` is
// then worth nothing.
absl::Status SearchBlock(const Block& block, const KeyOrder& order, absl::string_view target,
                         KeyBuffer* scratch, BlockSearchResult* result);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_SEARCH_H_
