// JavaScript values as V8's ValueSerializer and Blink's SerializedScriptValue write them: the
// records of IndexedDB, and what `v8.serialize` of Node gives. Format: decode/README.md.
#ifndef SSTABLE_DECODE_V8_VALUE_H_
#define SSTABLE_DECODE_V8_VALUE_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "decode/value_tree.h"

namespace sstable {

// Adds what is known of the blob or file with this index to its fields. Called once for an index.
using AddBlobFields = absl::FunctionRef<void(uint64_t index, ObjectBuilder* fields)>;

// Adds a value. If it can't be decoded, adds the reason and the bytes.
void DecodeScriptValue(absl::string_view bytes, AddBlobFields add_blob_fields, ValueTree* tree);

}  // namespace sstable

#endif  // SSTABLE_DECODE_V8_VALUE_H_
