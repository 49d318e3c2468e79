// V8's scalar values, property names, and the extent of a view in its buffer. All functions but
// ReadV8ErrorType() return false if the bytes are malformed; `input` then has the reason.
#ifndef SSTABLE_DECODE_V8_PRIMITIVE_H_
#define SSTABLE_DECODE_V8_PRIMITIVE_H_

#include <cstdint>

#include "decode/v8_input.h"
#include "decode/value_tree.h"

namespace sstable {

// Reads the number that follows `tag`, which must be I, U or N.
bool ReadV8Number(char tag, V8Input* input, double* number);

// Adds the string that follows `tag`. Returns false for a tag of another type.
bool AddV8String(char tag, V8Input* input, ValueTree* tree);

// Adds the name of a property. A number is an index in an array, and text in an object: 1 is "1".
bool AddV8Name(bool is_array, V8Input* input, ValueTree* tree);

bool AddV8Bigint(V8Input* input, ValueTree* tree);
bool AddV8RegExpFlags(V8Input* input, ValueTree* tree);

// Reads the tag of an error type and returns its name; without such a tag, returns "Error" and
// reads nothing.
const char* ReadV8ErrorType(V8Input* input);

struct V8View {
  bool Read(uint64_t buffer_size, bool has_flags, V8Input* input);

  const char* type;    // "Uint8Array"
  uint64_t offset;     // bytes
  uint64_t size;       // bytes
  bool tracks_length;  // its length follows the buffer's length
};

}  // namespace sstable

#endif  // SSTABLE_DECODE_V8_PRIMITIVE_H_
