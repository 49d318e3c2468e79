// Blink's objects in a script value: blobs, geometry, images, keys.
#ifndef SSTABLE_DECODE_V8_HOST_OBJECT_H_
#define SSTABLE_DECODE_V8_HOST_OBJECT_H_

#include <cstdint>

#include "decode/v8_input.h"
#include "decode/v8_value.h"
#include "decode/value_tree.h"

namespace sstable {

// Reads the object that follows `tag`, and adds it. `version` is the version of Blink's format.
bool DecodeHostObject(char tag, uint32_t version, V8Input* input, AddBlobFields add_blob_fields,
                      ValueTree* tree);

}  // namespace sstable

#endif  // SSTABLE_DECODE_V8_HOST_OBJECT_H_
