// Formats a key for a message. Every message with a key uses this.
#ifndef SSTABLE_TABLE_BLOCK_SHOW_KEY_H_
#define SSTABLE_TABLE_BLOCK_SHOW_KEY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "table/block/key_order.h"

namespace sstable {

// Shows a plain key in quotes, like ShowBytes(), and an internal key as user key and sequence:
// "user:1" @7. The highest sequence, which index keys and seeks have, is @newest. If the type is
// neither value nor deletion, it follows. Bytes that are not an internal key are shown as a plain
// key.
std::string ShowKey(KeyKind kind, absl::string_view key);
std::string ShowKey(const KeyOrder& order, absl::string_view key);

// For messages that compare `key` with `other`: a long key is shown from where they differ, with
// the number of bytes before that.
std::string ShowKey(KeyKind kind, absl::string_view key, absl::string_view other);
std::string ShowKey(const KeyOrder& order, absl::string_view key, absl::string_view other);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_SHOW_KEY_H_
