// What V8 writes in one piece: numbers, strings, names, and where in a buffer a view is. What reads
// returns false if the bytes are malformed; `input` has the reason.
#ifndef SSTABLE_DECODE_V8_PRIMITIVE_H_
#define SSTABLE_DECODE_V8_PRIMITIVE_H_

#include <cstdint>

#include "decode/v8_input.h"
#include "decode/value_tree.h"

namespace sstable {

// `tag`, which has been read, is I, U or N.
bool ReadV8Number(char tag, V8Input* input, double* number);

// `tag` has been read, and need not be that of a string.
bool AddV8String(char tag, V8Input* input, ValueTree* tree);

// Adds a name or an index. An object has names only, and 1 is the name "1".
bool AddV8Name(bool is_array, V8Input* input, ValueTree* tree);

bool AddV8Bigint(V8Input* input, ValueTree* tree);
bool AddV8RegExpFlags(V8Input* input, ValueTree* tree);

// The type has no tag if it is "Error".
const char* ReadV8ErrorType(V8Input* input);

struct V8View {
  bool Read(uint64_t buffer_size, bool has_flags, V8Input* input);

  const char* type;    // "Uint8Array"
  uint64_t offset;     // bytes
  uint64_t size;       // bytes
  bool tracks_length;  // its length follows the buffer's
};

}  // namespace sstable

#endif  // SSTABLE_DECODE_V8_PRIMITIVE_H_
