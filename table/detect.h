// Tells by looking what a file does not say: whether its keys are internal, and what orders them.
#ifndef SSTABLE_TABLE_DETECT_H_
#define SSTABLE_TABLE_DETECT_H_

#include <string>

#include "absl/status/statusor.h"
#include "table/key_order.h"
#include "table/table_reader.h"
#include "util/comparator.h"

namespace sstable {

struct KeyGuess {
  KeyKind key_kind = KeyKind::kPlain;

  // Of plain keys, or of the user keys. Null if the keys are in neither order, as with Chromium's
  // IndexedDB ("idb_cmp1"): such a table can be scanned, but not searched. Lives forever.
  const Comparator* comparator = BytewiseComparator();

  bool certain = true;  // false if the table has too little in it to tell
  std::string reason;   // in half a sentence
};

// Looks at all entries of up to 16 data blocks, evenly spread. Keys are internal if each ends in a
// valid tag, unless the filter or their order speak against it; where a filter knows the keys in
// one form and not in the other, that decides. Keys that are out of order speak for an unknown
// comparator only where no index key is shortened, as hardly any comparator but the bytewise one
// does; else the order is taken for bytewise, and the table for wrong. Blocks that can't be read
// are passed over. `reader` may have been opened with any comparator and kind of keys. Errors:
// those of the index.
absl::StatusOr<KeyGuess> GuessKeys(const TableReader& reader);

}  // namespace sstable

#endif  // SSTABLE_TABLE_DETECT_H_
