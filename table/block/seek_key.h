// The key from which a lookup of a plain or user key starts.
#ifndef SSTABLE_TABLE_BLOCK_SEEK_KEY_H_
#define SSTABLE_TABLE_BLOCK_SEEK_KEY_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "sstable/internal_key.h"
#include "table/block/key_order.h"

namespace sstable {

// Returns the key itself, or for internal keys one that precedes all versions visible in the
// snapshot.
inline std::string SeekKey(const KeyOrder& order, absl::string_view user_key,
                           uint64_t snapshot = kMaxSequence) {
  return order.kind() == KeyKind::kPlain ? std::string(user_key)
                                         : MakeInternalKey(user_key, snapshot, ValueType::kValue);
}

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_SEEK_KEY_H_
