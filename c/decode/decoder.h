// The meaning of keys and values that known programs wrote, for C and languages that call C:
// decode/README.md lists the programs and the forms of the JSON. Only libsstable_c.so has these
// functions. Their rules are those of sstable/c.h. Self-contained C99.
#ifndef SSTABLE_C_DECODE_DECODER_H_
#define SSTABLE_C_DECODE_DECODER_H_

#include <stddef.h>

#include "sstable/c.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Any number of threads may use one at once.
typedef struct sstable_decoder sstable_decoder;

// Finds the format of the entries, as `sst dump --decode PROGRAM` does, and learns what is needed
// to decode them. `*decoder` is NULL if none fits, which is not an error. SSTABLE_INVALID_ARGUMENT:
// there is no such program. Reader and database may be destroyed before the decoder.
sstable_code sstable_decoder_create(const sstable_reader* reader, const char* program,
                                    sstable_decoder** decoder, char** message);
sstable_code sstable_decoder_create_database(const sstable_database* database, const char* program,
                                             sstable_decoder** decoder, char** message);
void sstable_decoder_destroy(sstable_decoder* decoder);

// Such as "Chromium's IndexedDB". Lives as long as the decoder.
const char* sstable_decoder_format(const sstable_decoder* decoder);
// Text for the user: why some values that could be decoded are not; empty if there are none. Lives
// as long as the decoder.
const char* sstable_decoder_doubt(const sstable_decoder* decoder);

// Decodes an entry; `key` is a user key. `*json`, to be freed with sstable_free(), is an object
// with the fields "key" and "value"; one that is not known is left out.
sstable_code sstable_decoder_decode(const sstable_decoder* decoder, const void* key,
                                    size_t key_size, const void* value, size_t value_size,
                                    char** json, size_t* json_size, char** message);

#ifdef __cplusplus
}  // extern "C"
#endif

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // SSTABLE_C_DECODE_DECODER_H_
