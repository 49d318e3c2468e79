// Minecraft's NBT, little-endian, as its Bedrock edition stores it.
#ifndef SSTABLE_DECODE_NBT_H_
#define SSTABLE_DECODE_NBT_H_

#include "absl/strings/string_view.h"
#include "decode/value_tree.h"

namespace sstable {

// Removes a named value from the front of `*input` and adds it: a compound as an object, a list or
// an array of numbers as an array, an array of bytes as bytes. If its name is not empty,
// adds an object with the value under that name. Returns false if the bytes are malformed;
// `*input` and what was added are then unspecified.
bool ConsumeNbt(absl::string_view* input, ValueTree* tree);

}  // namespace sstable

#endif  // SSTABLE_DECODE_NBT_H_
