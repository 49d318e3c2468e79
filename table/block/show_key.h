// How a key is shown in a message. Every message that names one uses this.
#ifndef SSTABLE_TABLE_BLOCK_SHOW_KEY_H_
#define SSTABLE_TABLE_BLOCK_SHOW_KEY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "table/block/key_order.h"

namespace sstable {

// A plain key in quotes, as by ShowBytes(); of an internal key, the user key and the sequence:
// "user:1" @7. The highest sequence, which index keys and seeks have, is @newest; a type that is
// neither value nor deletion follows. Bytes that are not an internal key are shown as a plain one.
std::string ShowKey(KeyKind kind, absl::string_view key);
std::string ShowKey(const KeyOrder& order, absl::string_view key);

// For a message that compares `key` with `other`: a long key is cut to the part where they differ,
// and the message says after how many bytes that is.
std::string ShowKey(KeyKind kind, absl::string_view key, absl::string_view other);
std::string ShowKey(const KeyOrder& order, absl::string_view key, absl::string_view other);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_SHOW_KEY_H_
