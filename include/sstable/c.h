// The library for C, and for languages that call C: write a table; open one or a database's folder,
// look up keys, iterate; check a table. Self-contained C99.
//
// Errors:    a function that can fail returns an sstable_code. Its last parameter, `char**
//            message`, may be NULL. On success it is set to NULL; on failure to a NUL-terminated
//            text that names file, block and offset, to be freed with sstable_free(), or to NULL if
//            there is no memory for one. Results are 0 or NULL after an error. No C++ exception
//            leaves a function.
// NULL:      unless it is allowed, a function that returns a code returns SSTABLE_INVALID_ARGUMENT
//            for it; do not pass it to the others.
// Ownership: objects are opaque; the caller destroys what it creates, and destroying NULL does
//            nothing. Options, keys and values are copied. Keys and values are bytes with a size;
//            NULL is allowed for a size of 0.
// Threads:   any number may use a reader, a database or problems at once; a builder, an iterator or
//            options, one at a time.
// Stability: functions and numbers are never changed or removed. An addition raises
//            SSTABLE_API_VERSION, so expect codes that your header does not have. What is not
//            marked with a version has been there since version 2.
//
// The order of keys is that of their bytes, unsigned ("leveldb.BytewiseComparator"). A table in
// another order can be iterated over, but not searched or built: lookups and seeks return
// SSTABLE_FAILED_PRECONDITION if the index shows another order, or another kind of keys than the
// options. The index does not always show that: its few keys may ascend by chance, and with one
// data block they always do. Then a lookup may report a key of the table as absent;
// sstable_reader_check() reads all keys and reports those out of order.
#ifndef SSTABLE_C_H_
#define SSTABLE_C_H_

#include <stddef.h>
#include <stdint.h>

// A shared object exports what is declared here, whatever -fvisibility says.
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---- Codes -----------------------------------------------------------------------------------

// An int, so that its size depends on no compiler flag. The numbers are those of the codes with the
// same names in gRPC and Abseil.
typedef int sstable_code;

enum {
  SSTABLE_OK = 0,
  SSTABLE_UNKNOWN = 2,              // any other error of the file, such as EIO
  SSTABLE_INVALID_ARGUMENT = 3,     // the caller's value is wrong: a key out of order, NULL
  SSTABLE_NOT_FOUND = 5,            // a file is missing; an absent key is not an error
  SSTABLE_ALREADY_EXISTS = 6,       // there is a file that may not be replaced. Version 4
  SSTABLE_PERMISSION_DENIED = 7,    // by the system
  SSTABLE_RESOURCE_EXHAUSTED = 8,   // no memory or room on the device, too many open files; or a
                                    // limit of the reader, which is not damage
  SSTABLE_FAILED_PRECONDITION = 9,  // wrong time: add after finish; another order or kind of keys
  SSTABLE_UNIMPLEMENTED = 12,       // well-formed but not supported: an unknown compression
  SSTABLE_ABORTED = 10,             // the folder changed; opening it again may help. Version 3
  SSTABLE_UNAVAILABLE = 14,         // not possible now; trying again may help
  SSTABLE_DATA_LOSS = 15            // the table is damaged: checksum, magic, lengths, key order
};

// ---- Version and memory ----------------------------------------------------------------------

#define SSTABLE_API_VERSION 6

// Returns the SSTABLE_API_VERSION of the linked library.
int sstable_api_version(void);
// Returns the library's own version, such as "0.1.0". Lives forever. Since version 6.
const char* sstable_version(void);

// Frees a message or a value. Does nothing with NULL.
void sstable_free(void* pointer);

// ---- What a table contains -------------------------------------------------------------------

// The kind of keys. A file does not record it, so the reader must know.
enum {
  SSTABLE_PLAIN_KEYS = 0,  // keys as they were added
  // As in the tables of a LevelDB database: user key, then 8 bytes, little-endian, that hold
  // sequence << 8 | type. A type is 0 for a deletion and 1 for a value. User keys ascend; for the
  // same user key, sequences descend.
  SSTABLE_INTERNAL_KEYS = 1,
  // Only for readers: the kind is determined from the entries of up to 16 blocks when the table is
  // opened; plain if they do not show it or can't be read. Version 3.
  SSTABLE_GUESS_KEYS = 2
};

#define SSTABLE_MAX_SEQUENCE ((UINT64_C(1) << 56) - 1)

enum {
  SSTABLE_NO_COMPRESSION = 0,
  SSTABLE_SNAPPY = 1,
  SSTABLE_ZSTD = 2,  // read by LevelDB's main branch, not by releases up to 1.23
  // Read by Mojang's fork of LevelDB (Minecraft Bedrock), not by LevelDB. Since version 2.
  SSTABLE_ZLIB = 3,        // blocks of type 2
  SSTABLE_RAW_DEFLATE = 4  // blocks of type 4; what that game writes
};

// Many keys or many values, in the caller's memory. Version 3.
typedef struct sstable_column {
  char* data;
  size_t capacity;    // size of `data`, in bytes
  uint64_t* offsets;  // with SSTABLE_COLUMN_BYTES, room for one more than there are items
  int format;
  size_t size;  // set to the bytes of `data` that are used
} sstable_column;

enum {
  // Concatenated: item i is the bytes of `data` from offsets[i] up to, not including, offsets[i +
  // 1].
  SSTABLE_COLUMN_BYTES = 0,
  // A tuple of bytes as Python pickles it (protocol 4), which Python reads faster than offsets.
  SSTABLE_COLUMN_PICKLE = 1
};

// ---- Builder ---------------------------------------------------------------------------------

typedef struct sstable_builder_options sstable_builder_options;
typedef struct sstable_builder sstable_builder;

// LevelDB's defaults. NULL if there is no memory. sstable_builder_create() reports values out of
// range.
sstable_builder_options* sstable_builder_options_create(void);
void sstable_builder_options_destroy(sstable_builder_options* options);

// Default: SSTABLE_PLAIN_KEYS.
void sstable_builder_options_set_key_kind(sstable_builder_options* options, int key_kind);
// A data block ends with the entry that reaches this many bytes, before compression; 1 to
// 2147483647. Default: 4096.
void sstable_builder_options_set_block_size(sstable_builder_options* options, size_t block_size);
// Entries between restart points, at least 1. Default: 16.
void sstable_builder_options_set_restart_interval(sstable_builder_options* options,
                                                  int restart_interval);
// Default: SSTABLE_SNAPPY.
void sstable_builder_options_set_compression(sstable_builder_options* options, int compression);
// Bits per key of LevelDB's Bloom filter, 1 to 65536; 10 gives 1 % false positives. Default: 0,
// which makes none.
void sstable_builder_options_set_bloom_bits_per_key(sstable_builder_options* options,
                                                    int bits_per_key);

// Since version 3: the false-positive rate for which LevelDB's Bloom filter is made, instead of
// bits per key; 0.0001 to 0.5. Default: 0, which uses the bits per key.
void sstable_builder_options_set_bloom_rate(sstable_builder_options* options, double rate);
// A filter for the whole table, which LevelDB ignores. `bits_per_key` is for SSTABLE_BLOCKED_BLOOM,
// 1 to 100. Default: SSTABLE_NO_TABLE_FILTER.
void sstable_builder_options_set_table_filter(sstable_builder_options* options, int table_filter,
                                              int bits_per_key);
enum {
  SSTABLE_NO_TABLE_FILTER = 0,
  SSTABLE_BLOCKED_BLOOM = 1,  // the fastest
  SSTABLE_FUSE8 = 2,          // the smallest for 0.4 % false positives
  SSTABLE_FUSE16 = 3          // for 0.002 %
};
// The level of SSTABLE_ZSTD, -5 to 22, default 1; that of SSTABLE_ZLIB and SSTABLE_RAW_DEFLATE, 0
// to 9.
void sstable_builder_options_set_compression_level(sstable_builder_options* options, int level);
// Threads that compress, 1 to 64; the table's bytes do not depend on it. Default: 1.
void sstable_builder_options_set_compression_threads(sstable_builder_options* options, int threads);
// If nonzero, finish makes the file durable. Default: 1.
void sstable_builder_options_set_sync(sstable_builder_options* options, int sync);

// Since version 4:
// Whether an old file may be replaced. If not, sstable_builder_create() returns
// SSTABLE_ALREADY_EXISTS for a path with a file that is not empty. Default: 1.
void sstable_builder_options_set_replace(sstable_builder_options* options, int replace);

// Pattern: create (add)* (finish | abandon) destroy.

// Starts a table at `path`. finish makes the complete file appear there, replacing an old file
// unless the options forbid it; without it, nothing appears there. `options` may be NULL for the
// defaults.
sstable_code sstable_builder_create(const sstable_builder_options* options, const char* path,
                                    sstable_builder** builder, char** message);
// Abandons, unless the table was finished.
void sstable_builder_destroy(sstable_builder* builder);

// Adds an entry. SSTABLE_INVALID_ARGUMENT if its key is not above the last one, or is not an
// internal key although the options say so. The first error stays: every later add and finish
// returns an error, and no table is written.
sstable_code sstable_builder_add(sstable_builder* builder, const void* key, size_t key_size,
                                 const void* value, size_t value_size, char** message);
// Adds `count` entries. Their keys follow one another in `keys`, their values in `values`;
// `key_sizes` and `value_sizes` have the size of each. Version 3.
sstable_code sstable_builder_add_many(sstable_builder* builder, size_t count, const void* keys,
                                      const size_t* key_sizes, const void* values,
                                      const size_t* value_sizes, char** message);
// Writes the rest; the table is then complete, synced, and at its path. After an error it is not
// there, with one exception: if only the sync of its folder fails, the message says that it is.
sstable_code sstable_builder_finish(sstable_builder* builder, char** message);
// Discards the table; nothing of it remains.
void sstable_builder_abandon(sstable_builder* builder);

// Entries added so far.
uint64_t sstable_builder_entry_count(const sstable_builder* builder);
// Stored bytes of the complete blocks or, after finish, of the file.
uint64_t sstable_builder_file_size(const sstable_builder* builder);

// ---- Reader ----------------------------------------------------------------------------------

typedef struct sstable_reader_options sstable_reader_options;
typedef struct sstable_reader sstable_reader;
// A list of problems, each a sentence that says what is wrong and where. Version 3.
typedef struct sstable_problems sstable_problems;

// When the checksums of data blocks are verified. Those of other blocks always are.
enum {
  SSTABLE_VERIFY_FIRST_TOUCH = 0,  // when the reader first reads the block
  SSTABLE_VERIFY_ALWAYS = 1,       // each time that it reads the block
  SSTABLE_VERIFY_NEVER = 2
};

// NULL if there is no memory. open reports values out of range.
sstable_reader_options* sstable_reader_options_create(void);
void sstable_reader_options_destroy(sstable_reader_options* options);

// Default: SSTABLE_PLAIN_KEYS.
void sstable_reader_options_set_key_kind(sstable_reader_options* options, int key_kind);
// Default: SSTABLE_VERIFY_FIRST_TOUCH.
void sstable_reader_options_set_verify(sstable_reader_options* options, int verify);
// If nonzero, lookups consult the table's filter. Default: 1.
void sstable_reader_options_set_use_filter(sstable_reader_options* options, int use_filter);
// A compressed block that holds more bytes is refused with SSTABLE_RESOURCE_EXHAUSTED. Default: 0,
// which means 1100 times its stored bytes, but at least 4 MiB; above 64 MiB, 4 times its stored
// bytes, at most 256 MiB.
void sstable_reader_options_set_max_uncompressed_block_size(sstable_reader_options* options,
                                                            uint64_t max_bytes);
// A limit on the work done with the reader, in bytes of keys and uncompressed blocks: this many
// times the size of the file, or of 10 MiB if the file is smaller. More is refused with
// SSTABLE_RESOURCE_EXHAUSTED. Default: 0, which means no limit on lookups and iterators, and 100
// for each check. Version 5.
void sstable_reader_options_set_max_work(sstable_reader_options* options, uint32_t max_work);
// The size in bytes of a cache of uncompressed blocks, for lookups and iterators. All readers
// opened with these options from now on share it; it is freed with the last of the readers,
// iterators and options. Default: 0, no cache.
sstable_code sstable_reader_options_set_block_cache(sstable_reader_options* options,
                                                    size_t capacity, char** message);
// Whether files are mapped into memory. A file is mapped after the first few lookups; until then it
// is read, and keeps a descriptor (see FileAccess in sstable/file.h). That is fastest, but if a
// file is truncated or its device fails while it is open, the process gets SIGBUS; and if the file
// is overwritten in place, a lookup may return "absent" without an error. 0: each block is read,
// and any failure is an error. Default: 1.
void sstable_reader_options_set_map_file(sstable_reader_options* options, int map_file);

// Opens a table; reads only the footer and the metaindex block, so damage elsewhere is reported by
// the first call that meets it. `options` may be NULL for the defaults. SSTABLE_DATA_LOSS if the
// file is not a table.
sstable_code sstable_reader_open(const sstable_reader_options* options, const char* path,
                                 sstable_reader** reader, char** message);
// Opens a table in memory, which is borrowed: `data` must outlive the reader and its iterators.
// Messages name it "memory".
sstable_code sstable_reader_open_memory(const sstable_reader_options* options, const void* data,
                                        size_t size, sstable_reader** reader, char** message);
void sstable_reader_destroy(sstable_reader* reader);

// Since version 6: iterators that are created from now on continue after damage in a data block,
// which sstable_reader_skipped() then lists. Call it before other threads use the reader.
sstable_code sstable_reader_skip_damage(sstable_reader* reader, char** message);
// Since version 6: the first 1000 problems that iterators have skipped.
sstable_code sstable_reader_skipped(const sstable_reader* reader, sstable_problems** problems,
                                    char** message);

// SSTABLE_PLAIN_KEYS or SSTABLE_INTERNAL_KEYS. Version 3.
int sstable_reader_key_kind(const sstable_reader* reader);

// The result of a lookup.
enum {
  SSTABLE_ABSENT = 0,
  SSTABLE_FOUND = 1,
  SSTABLE_DELETED = 2  // only in tables of internal keys: the newest version is a deletion
};

// Looks up `key`. If the table has internal keys, `key` is a user key, and its newest version
// decides: SSTABLE_UNIMPLEMENTED if that is neither a value nor a deletion. If `*presence` is
// SSTABLE_FOUND, `*value` is a copy of the value, to be freed with sstable_free(), and not NULL
// even if it has 0 bytes.
sstable_code sstable_reader_get(const sstable_reader* reader, const void* key, size_t key_size,
                                int* presence, char** value, size_t* value_size, char** message);
// Like sstable_reader_get(), for the newest version whose sequence is at most `snapshot`;
// SSTABLE_MAX_SEQUENCE finds the newest of all. SSTABLE_INVALID_ARGUMENT for a higher `snapshot`,
// SSTABLE_FAILED_PRECONDITION if the reader was opened for plain keys.
sstable_code sstable_reader_get_at(const sstable_reader* reader, const void* key, size_t key_size,
                                   uint64_t snapshot, int* presence, char** value,
                                   size_t* value_size, char** message);

// Looks up `count` keys, which are one after the other in `keys`; much faster than one by one in a
// large table. Sets presences[i], unless that is NULL, to the result for key i, and `*values` to
// the values of all: format and offsets are the caller's, data is allocated, to be freed with
// sstable_free(). A key that is not found has 0 bytes; in a pickle it has None. The first error of
// any key is returned. `snapshot` is as for get_at, but has no effect on plain keys. Version 3.
sstable_code sstable_reader_get_many(const sstable_reader* reader, size_t count, const void* keys,
                                     const size_t* key_sizes, uint64_t snapshot,
                                     unsigned char* presences, sstable_column* values,
                                     char** message);

// SSTABLE_OK if lookups consult a filter; otherwise `*message` says why they don't.
// SSTABLE_NOT_FOUND: the table has none. SSTABLE_FAILED_PRECONDITION: the options turn it off, or
// it does not contain keys of the table, so it was made for other keys or with another hash.
// SSTABLE_UNIMPLEMENTED: its policy is unknown. SSTABLE_DATA_LOSS: it is damaged. Other codes: it
// can't be read now.
sstable_code sstable_reader_filter_status(const sstable_reader* reader, char** message);
// The name of the filter's policy, such as "leveldb.BuiltinBloomFilter2", whether or not lookups
// consult it; bytes that are not printable are escaped. NULL if the readable part of the metaindex
// block names none. Lives as long as the reader.
const char* sstable_reader_filter_policy(const sstable_reader* reader);

// Reads all of the file, continues after damage, and finds everything that is wrong: checksums,
// structure, order of keys, keys that the filter does not contain, and what can't be read. Another
// order or kind of keys than the reader was opened for is a problem as well. SSTABLE_OK if there is
// no problem; otherwise SSTABLE_DATA_LOSS with the message of the first one. A limit of the reader
// is not a problem; but if blocks were left out because of one, and the others have no problem, the
// result is SSTABLE_RESOURCE_EXHAUSTED. It always sets both counts, which may be NULL: of problems,
// and of the entries in readable blocks.
sstable_code sstable_reader_check(const sstable_reader* reader, uint64_t* problem_count,
                                  uint64_t* entry_count, char** message);

void sstable_problems_destroy(sstable_problems* problems);
// The number of problems in the list. `*total`, which may be NULL, is set to the number that was
// found.
size_t sstable_problems_count(const sstable_problems* problems, uint64_t* total);
// The text of problem i, which is below the count. Lives as long as the list. `*offset` in the
// file and `*is_damage` may be NULL; the latter is set to 0 for what is usual after a crash, and
// for a limit of the reader, which has offset 0.
const char* sstable_problems_text(const sstable_problems* problems, size_t i, uint64_t* offset,
                                  int* is_damage);

// Lists what sstable_reader_check() finds, at most `max_count` problems; the list of a sound table
// is empty. If blocks were left out because of a limit of the reader, that is the last problem, and
// counts as one. Version 3.
sstable_code sstable_reader_find_problems(const sstable_reader* reader, size_t max_count,
                                          sstable_problems** problems, uint64_t* entry_count,
                                          char** message);

// The results of measuring a filter. Later versions only append members. Version 3.
typedef struct sstable_filter_facts {
  uint64_t window_count;  // windows of the filter block
  uint64_t bit_count;     // bits of all its filters
  uint64_t bits_set;
  uint64_t keys_tested;      // keys of the table
  uint64_t false_negatives;  // must be 0
  uint64_t random_tested;    // absent keys
  uint64_t random_passed;
  double expected_rate;  // computed from the bits, 0 to 1
} sstable_filter_facts;

// Reads the whole table. `facts_size` is the caller's sizeof(sstable_filter_facts). The result is
// that of sstable_reader_filter_status(), or of the first damage found. Version 3.
sstable_code sstable_reader_measure_filter(const sstable_reader* reader,
                                           sstable_filter_facts* facts, size_t facts_size,
                                           char** message);

// ---- Database (version 3) --------------------------------------------------------------------

// The state of a folder of LevelDB's at one moment. Nothing is written and no lock is taken, so
// another program may have it open. Keys are user keys, in the order that the MANIFEST names.
typedef struct sstable_database sstable_database;

// Damage is not an error; see sstable_database_problems(). SSTABLE_NOT_FOUND if there is no such
// folder or none of LevelDB's files in it; SSTABLE_ABORTED if it keeps changing.
sstable_code sstable_database_open(const char* folder, sstable_database** database, char** message);
// Since version 6: opens a folder with your own order of user keys, whatever order the MANIFEST
// names. `compare` gets two keys of any bytes, and returns below 0, 0 or above 0, as memcmp() does.
// It is called by the threads that use the database and its iterators. When the last of them is
// gone, or opening fails, `release` is called once, unless it is NULL.
typedef int (*sstable_compare)(void* context, const char* a, size_t a_size, const char* b,
                               size_t b_size);
sstable_code sstable_database_open_in_order(const char* folder, sstable_compare compare,
                                            void (*release)(void* context), void* context,
                                            sstable_database** database, char** message);
void sstable_database_destroy(sstable_database* database);

// Since version 6: iterators that are created from now on continue after damage. Keys may be
// missing or have older values; sstable_database_problems() then lists the damage, too. A get still
// fails if a damaged table may hide its key; damage in a log is only in
// sstable_database_problems(), and no get or iterator fails because of it. If there is damage, the
// folder is opened anew, to read what follows it in a log's block. Call it before other threads use
// the database.
sstable_code sstable_database_skip_damage(sstable_database* database, char** message);

// The problems found when the folder was opened, and the first 1000 that iterators have skipped.
sstable_code sstable_database_problems(const sstable_database* database,
                                       sstable_problems** problems, char** message);
// Since version 6: reads all tables, and finds what is wrong with them, as
// sstable_reader_find_problems() does, and with the folder; also keys for which LevelDB would find
// an older version. What is usual after a crash is left out; `*is_damage` is 0 for what could not
// be checked.
sstable_code sstable_database_check(const sstable_database* database, size_t max_count,
                                    sstable_problems** problems, uint64_t* entry_count,
                                    char** message);
// Since version 6: about how many bytes the keys from `start` up to `stop` take in the files of the
// tables; entries in logs do not count.
sstable_code sstable_database_approximate_size(const sstable_database* database, const void* start,
                                               size_t start_size, const void* stop,
                                               size_t stop_size, uint64_t* size, char** message);
// Since version 6: fills `new_folder`, which must be empty or not exist, with a database of what is
// left of `path`: a folder, a table or a log, which is not changed. If nothing is left, there is no
// new database. `*problems` says what was wrong and what is lost, `*entry_count` how many versions
// and deletions were saved, and `*is_complete` is 1 if the new database is the old one, as far as
// can be seen. The last two may be NULL.
sstable_code sstable_salvage(const char* path, const char* new_folder, sstable_problems** problems,
                             uint64_t* entry_count, int* is_complete, char** message);
// The highest sequence that the MANIFEST and the logs name. If no MANIFEST could be used, each call
// also reads all tables, as far as it can, for their sequences.
uint64_t sstable_database_last_sequence(const sstable_database* database);

// Like sstable_reader_get_at() and sstable_reader_get_many(). SSTABLE_ABORTED: a table was removed
// since the folder was opened.
sstable_code sstable_database_get(const sstable_database* database, const void* key,
                                  size_t key_size, uint64_t snapshot, int* presence, char** value,
                                  size_t* value_size, char** message);
sstable_code sstable_database_get_many(const sstable_database* database, size_t count,
                                       const void* keys, const size_t* key_sizes, uint64_t snapshot,
                                       unsigned char* presences, sstable_column* values,
                                       char** message);

// ---- Iterator --------------------------------------------------------------------------------

// Pattern: for (seek_to_first; valid; next) ...; then status, since damage ends the iteration.
typedef struct sstable_iterator sstable_iterator;

// Returns an iterator that is on no entry yet. The reader may be destroyed before it. NULL if there
// is no memory, or `reader` is NULL.
sstable_iterator* sstable_iterator_create(const sstable_reader* reader);
void sstable_iterator_destroy(sstable_iterator* iterator);

// Since version 3, iterates over what a snapshot sees: each user key with its newest value whose
// sequence is at most `snapshot`, unless it is deleted. SSTABLE_FAILED_PRECONDITION for a table of
// plain keys. Reader and database may be destroyed before the iterator.
sstable_code sstable_iterator_create_live(const sstable_reader* reader, uint64_t snapshot,
                                          sstable_iterator** iterator, char** message);
sstable_code sstable_iterator_create_database(const sstable_database* database, uint64_t snapshot,
                                              sstable_iterator** iterator, char** message);

// Since version 6: iterates over every version of every key, the newest first, including deletions.
// Keys and bounds are internal keys; it can't be restricted to a prefix. SSTABLE_UNIMPLEMENTED: it
// was moved backward, or the order of keys is not known.
sstable_code sstable_iterator_create_history(const sstable_database* database,
                                             sstable_iterator** iterator, char** message);

// Since version 3: these restrict the iterator to keys from `key` on, to keys up to `key`, or, in
// place of such bounds, to keys that begin with `prefix`. The iterator is then on no entry.
// `inclusive`, 0 or 1, says whether `key` itself is included. If keys are internal, the prefix is
// one of user keys. set_prefix: SSTABLE_FAILED_PRECONDITION if keys are not in the order of their
// bytes.
sstable_code sstable_iterator_set_lower(sstable_iterator* iterator, const void* key,
                                        size_t key_size, int inclusive, char** message);
sstable_code sstable_iterator_set_upper(sstable_iterator* iterator, const void* key,
                                        size_t key_size, int inclusive, char** message);
sstable_code sstable_iterator_set_prefix(sstable_iterator* iterator, const void* prefix,
                                         size_t prefix_size, char** message);

// 1 on an entry, 0 past either end and after an error.
int sstable_iterator_valid(const sstable_iterator* iterator);

void sstable_iterator_seek_to_first(sstable_iterator* iterator);
void sstable_iterator_seek_to_last(sstable_iterator* iterator);
// Moves to the first key that is not below `key`, which is an internal key if the table has those.
void sstable_iterator_seek(sstable_iterator* iterator, const void* key, size_t key_size);

// These do nothing unless the iterator is valid.
void sstable_iterator_next(sstable_iterator* iterator);
void sstable_iterator_prev(sstable_iterator* iterator);

// Views of the entry, valid until the iterator next moves or is destroyed; do not free them. NULL
// with a size of 0 if the iterator is not valid.
const char* sstable_iterator_key(const sstable_iterator* iterator, size_t* size);
const char* sstable_iterator_value(const sstable_iterator* iterator, size_t* size);

// Copies entries, starting with the one that the iterator is on, and moves it past each; backwards
// if `reverse` is not 0. Stops after `max_count` entries, past the last one, or where the next one
// does not fit. Either column may be NULL. Sets `*count`. If that is 0, either the iterator is
// valid and its entry does not fit (sstable_iterator_key() and value() return its sizes; a pickle
// needs 16 bytes more), or there are no more, and the result is the iterator's status. Version 3.
sstable_code sstable_iterator_read(sstable_iterator* iterator, int reverse, size_t max_count,
                                   sstable_column* keys, sstable_column* values, size_t* count,
                                   char** message);

// Since version 6: makes a stream of the Arrow C stream interface, of batches of at most
// `max_count` entries, with the columns `key` and `value` (large_binary). The stream owns the
// iterator, even if it is never read, and begins at its first entry. Free it with sstable_free()
// after release().
typedef struct ArrowArrayStream sstable_arrow_stream;
sstable_code sstable_iterator_to_arrow(sstable_iterator* iterator, size_t max_count,
                                       sstable_arrow_stream** stream, char** message);
// Releases and frees such a stream in a Python capsule: call it in the destructor given to
// PyCapsule_New(). `get_pointer` is PyCapsule_GetPointer().
typedef void* (*sstable_capsule_pointer)(void* capsule, const char* name);
typedef void (*sstable_capsule_destructor)(void* capsule);
sstable_capsule_destructor sstable_arrow_capsule_destructor(sstable_capsule_pointer get_pointer);

// SSTABLE_OK unless an error ended the iteration or kept it from starting.
sstable_code sstable_iterator_status(const sstable_iterator* iterator, char** message);

#ifdef __cplusplus
}  // extern "C"
#endif

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // SSTABLE_C_H_
