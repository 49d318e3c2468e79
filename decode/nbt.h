// Minecraft's NBT, little-endian, as its Bedrock edition stores it.
#ifndef SSTABLE_DECODE_NBT_H_
#define SSTABLE_DECODE_NBT_H_

#include "absl/strings/string_view.h"
#include "decode/value_tree.h"

namespace sstable {

// Decodes a named value from the front of `*input`: a compound becomes an object, a list or an
// array of numbers an array, an array of bytes bytes. If the name is not empty, as usual, the value
// is in an object under it. Returns false, and leaves `*input` and what it has added undefined, if
// the bytes are malformed.
bool ConsumeNbt(absl::string_view* input, ValueTree* tree);

}  // namespace sstable

#endif  // SSTABLE_DECODE_NBT_H_
