// JavaScript values as serialized by Blink's SerializedScriptValue, which IndexedDB's records use,
// and by Node's v8.serialize(). Format: decode/README.md.
#ifndef SSTABLE_DECODE_SCRIPT_VALUE_H_
#define SSTABLE_DECODE_SCRIPT_VALUE_H_

#include "absl/strings/string_view.h"
#include "decode/v8_value.h"
#include "decode/value_tree.h"

namespace sstable {

// Adds a value. If it can't be decoded, adds the reason and the bytes.
void DecodeScriptValue(absl::string_view bytes, AddBlobFields add_blob_fields, ValueTree* tree);

}  // namespace sstable

#endif  // SSTABLE_DECODE_SCRIPT_VALUE_H_
