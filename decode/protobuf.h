// Messages of Protocol Buffers, without their schema.
#ifndef SSTABLE_DECODE_PROTOBUF_H_
#define SSTABLE_DECODE_PROTOBUF_H_

#include "absl/strings/string_view.h"
#include "decode/value_tree.h"

namespace sstable {

// Adds {"$message": [[field, value], ...]}. A value of 4 or 8 bytes has both readings; one of a
// size is text if all of it is, else a message if it has that form, else bytes. Returns false, and
// adds nothing, if the bytes are no message.
bool DecodeProtobuf(absl::string_view bytes, ValueTree* tree);

}  // namespace sstable

#endif  // SSTABLE_DECODE_PROTOBUF_H_
