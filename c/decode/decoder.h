// Decodes the keys and values of known programs, for C and languages that call C. decode/README.md
// describes the programs and the JSON. Only libsstable_c.so has these functions. The rules of
// sstable/c.h apply. Self-contained C99.
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

// May be used by any number of threads at once.
typedef struct sstable_decoder sstable_decoder;

// Finds the format of the entries, as `sst dump --decode PROGRAM` does, and reads the metadata that
// decoding needs. `*decoder` is NULL if no format fits, which is not an error. Returns
// SSTABLE_INVALID_ARGUMENT if there is no such program. The reader or database may be destroyed
// before the decoder.
sstable_code sstable_decoder_create(const sstable_reader* reader, const char* program,
                                    sstable_decoder** decoder, char** message);
sstable_code sstable_decoder_create_database(const sstable_database* database, const char* program,
                                             sstable_decoder** decoder, char** message);
void sstable_decoder_destroy(sstable_decoder* decoder);

// Returns the format's name, such as "Chromium's IndexedDB". Valid as long as the decoder.
const char* sstable_decoder_format(const sstable_decoder* decoder);
// Returns text for the user that explains why some values of this format are not decoded; empty if
// all are. Valid as long as the decoder.
const char* sstable_decoder_doubt(const sstable_decoder* decoder);

// Decodes an entry; `key` is a user key. `*json`, to be freed with sstable_free(), is an object
// with the fields "key" and "value", without those that cannot be decoded.
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
