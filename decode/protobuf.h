// Decodes Protocol Buffers messages without their schema.
#ifndef SSTABLE_DECODE_PROTOBUF_H_
#define SSTABLE_DECODE_PROTOBUF_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "decode/value_tree.h"

namespace sstable {

struct ProtobufField {
  enum Type : uint64_t { kVarint = 0, kFixed64 = 1, kSized = 2, kFixed32 = 5 };

  uint64_t number = 0;
  uint64_t type = kVarint;
  uint64_t integer = 0;     // 0 if kSized
  absl::string_view bytes;  // if kSized
};

// Removes a field from the front of `*bytes`. Returns false if there is no field of a known type;
// `*bytes` is then unspecified.
bool ConsumeProtobufField(absl::string_view* bytes, ProtobufField* field);

// Adds {"$message": [[field, value], ...]}. A fixed-size value (4 or 8 bytes) is shown as an
// integer and as a real number. A length-delimited value is shown as text if it is valid text, else
// as a message if it can be parsed as one, else as bytes. Returns false, and adds nothing, if the
// bytes are not a message; also returns false if the tree exceeds its limits. `script_value` is the
// path to a script value: field numbers, one per byte, from the outermost field in; empty if there
// is none.
bool DecodeProtobuf(absl::string_view bytes, ValueTree* tree, absl::string_view script_value = "");

}  // namespace sstable

#endif  // SSTABLE_DECODE_PROTOBUF_H_
