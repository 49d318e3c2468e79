// JavaScript values as V8's ValueSerializer writes them. decode/README.md describes their JSON.
#ifndef SSTABLE_DECODE_V8_VALUE_H_
#define SSTABLE_DECODE_V8_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "decode/value_tree.h"

namespace sstable {

// Adds what is known of the blob or file with this index to `fields`. Called once per index.
using AddBlobFields = absl::FunctionRef<void(uint64_t index, ObjectBuilder* fields)>;

struct V8Format {
  uint32_t blink_version;  // determines the form of Blink's objects
  uint32_t version;
  bool has_flags;  // views have flags: since version 14, and in 13 with some writers
};

// Adds the value at `offset` of `bytes`. Returns "" if it was decoded; else the reason, and a part
// of the value may have been added.
std::string DecodeV8Value(absl::string_view bytes, size_t offset, const V8Format& format,
                          AddBlobFields add_blob_fields, ValueTree* tree);

}  // namespace sstable

#endif  // SSTABLE_DECODE_V8_VALUE_H_
