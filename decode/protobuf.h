// Messages of Protocol Buffers, without their schema.
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

// Removes a field from the front of `*bytes`. If there is none of a known type, returns false and
// leaves `*bytes` undefined.
bool ConsumeProtobufField(absl::string_view* bytes, ProtobufField* field);

// Adds {"$message": [[field, value], ...]}. A value of 4 or 8 bytes has both readings; one of a
// size is text if all of it is, else a message if it has that form, else bytes. Returns false, and
// adds nothing, if the bytes are no message. `script_value` has the numbers of the fields that lead
// to a script value, one a byte; empty: there is none.
bool DecodeProtobuf(absl::string_view bytes, ValueTree* tree, absl::string_view script_value = "");

}  // namespace sstable

#endif  // SSTABLE_DECODE_PROTOBUF_H_
