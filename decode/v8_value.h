// JavaScript values as V8's ValueSerializer writes them. What they become: decode/README.md.
#ifndef SSTABLE_DECODE_V8_VALUE_H_
#define SSTABLE_DECODE_V8_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "decode/value_tree.h"

namespace sstable {

// Adds what is known of the blob or file with this index to its fields. Called once for an index.
using AddBlobFields = absl::FunctionRef<void(uint64_t index, ObjectBuilder* fields)>;

struct V8Format {
  uint32_t blink_version;  // what Blink's objects depend on
  uint32_t version;
  bool has_flags;  // views have flags: from version 14 on, and in 13 by some writers
};

// Adds the value at an offset. Returns why it can't be decoded, and then has added a part of it;
// empty if it was decoded.
std::string DecodeV8Value(absl::string_view bytes, size_t offset, const V8Format& format,
                          AddBlobFields add_blob_fields, ValueTree* tree);

}  // namespace sstable

#endif  // SSTABLE_DECODE_V8_VALUE_H_
