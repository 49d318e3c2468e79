// Tests the C API from C: lookups of versions, each reader option, and the errors.
#define _POSIX_C_SOURCE 200809L  // setrlimit, symlink, truncate, unlink

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sstable/c.h"
#include "tests/c/c_expect.h"

#define TABLES "tests/testdata/"

static void ExpectVersion(const sstable_reader* reader, Bytes key, uint64_t snapshot, int expected,
                          Bytes expected_value) {
  int presence;
  char* value;
  size_t size;
  EXPECT_OK(sstable_reader_get_at(reader, key.bytes, key.size, snapshot, &presence, &value, &size,
                                  &message));
  EXPECT(presence == expected);
  EXPECT(expected == SSTABLE_FOUND ? Same(expected_value, value, size)
                                   : value == NULL && size == 0);
  sstable_free(value);
}

static void TestInternalKeys(void) {
  sstable_builder_options* const options = sstable_builder_options_create();
  sstable_builder_options_set_key_kind(options, SSTABLE_INTERNAL_KEYS);
  sstable_builder_options_set_bloom_bits_per_key(options, 10);
  sstable_builder* builder;
  EXPECT_OK(sstable_builder_create(options, path, &builder, &message));
  EXPECT_OK(sstable_builder_add(builder, "k\0\7\0\0\0\0\0\0", 9, "", 0, &message));
  EXPECT_OK(sstable_builder_add(builder, "k\1\5\0\0\0\0\0\0", 9, "five", 4, &message));
  EXPECT_OK(sstable_builder_finish(builder, &message));
  sstable_builder_destroy(builder);

  sstable_reader_options* const how = sstable_reader_options_create();
  sstable_reader_options_set_key_kind(how, SSTABLE_INTERNAL_KEYS);
  sstable_reader* const reader = Open(how, path);
  sstable_reader_options_destroy(how);
  const Bytes key = BYTES("k"), none = BYTES(""), five = BYTES("five");
  ExpectVersion(reader, key, SSTABLE_MAX_SEQUENCE, SSTABLE_DELETED, none);
  ExpectVersion(reader, key, 7, SSTABLE_DELETED, none);
  ExpectVersion(reader, key, 6, SSTABLE_FOUND, five);
  ExpectVersion(reader, key, 5, SSTABLE_FOUND, five);
  ExpectVersion(reader, key, 4, SSTABLE_ABSENT, none);
  ExpectVersion(reader, (Bytes)BYTES("j"), 7, SSTABLE_ABSENT, none);
  EXPECT_OK(sstable_reader_filter_status(reader, &message));

  int presence;
  char* value;
  size_t size;
  EXPECT_OK(sstable_reader_get(reader, "k", 1, &presence, &value, &size, &message));
  EXPECT(presence == SSTABLE_DELETED && value == NULL);
  EXPECT_ERROR(sstable_reader_get_at(reader, "k", 1, SSTABLE_MAX_SEQUENCE + 1, &presence, &value,
                                     &size, &message),
               SSTABLE_INVALID_ARGUMENT, "snapshot");
  sstable_reader_destroy(reader);

  EXPECT_OK(sstable_builder_create(options, path, &builder, &message));
  EXPECT_ERROR(sstable_builder_add(builder, "short", 5, "", 0, &message), SSTABLE_INVALID_ARGUMENT,
               "not an internal key");
  sstable_builder_destroy(builder);
  sstable_builder_options_destroy(options);

  sstable_reader* const plain = Open(NULL, TABLES "leveldb-1.23-elements.ldb");
  EXPECT_ERROR(sstable_reader_get_at(plain, "k", 1, 5, &presence, &value, &size, &message),
               SSTABLE_FAILED_PRECONDITION, "elements.ldb: a snapshot needs internal keys");
  sstable_reader_destroy(plain);
}

// A copy of leveldb-1.23-elements.ldb to modify. "nickel/number" is in its second block.
enum { kBlockOffset = 2049, kTypeOffset = 4158, kChecksumOffset = 4159 };
static char elements[1 << 13];
static size_t elements_size = 0;

static void ReadElements(void) {
  FILE* const file = fopen(TABLES "leveldb-1.23-elements.ldb", "rb");
  elements_size = fread(elements, 1, sizeof(elements), file);
  fclose(file);
}

static sstable_reader* OpenElements(const sstable_reader_options* options) {
  sstable_reader* reader;
  EXPECT_OK(sstable_reader_open_memory(options, elements, elements_size, &reader, &message));
  return reader;
}

static sstable_code GetNickel(const sstable_reader* reader, char** message) {
  int presence = -1;
  char* value = path;
  size_t size = 1;
  const sstable_code code =
      sstable_reader_get(reader, "nickel/number", 13, &presence, &value, &size, message);
  if (code != SSTABLE_OK) {
    EXPECT(presence == SSTABLE_ABSENT && value == NULL && size == 0);
  } else {
    EXPECT(presence == SSTABLE_FOUND && Same((Bytes)BYTES("28"), value, size));
  }
  sstable_free(value);
  return code;
}

static void TestReaderOptionsTakeEffect(void) {
  sstable_reader_options* const options = sstable_reader_options_create();
  sstable_reader_options_set_use_filter(options, 0);
  sstable_reader* reader = Open(options, TABLES "leveldb-1.23-elements.ldb");
  EXPECT_OK(GetNickel(reader, &message));
  EXPECT_ERROR(sstable_reader_filter_status(reader, &message), SSTABLE_FAILED_PRECONDITION,
               "turned off");
  EXPECT(strcmp(sstable_reader_filter_policy(reader), "leveldb.BuiltinBloomFilter2") == 0);
  sstable_reader_destroy(reader);
  sstable_reader_options_set_use_filter(options, 1);

  EXPECT_ERROR(sstable_reader_options_set_block_cache(NULL, 0, &message), SSTABLE_INVALID_ARGUMENT,
               "options is NULL");

  sstable_reader_options_set_max_uncompressed_block_size(options, 100);
  reader = Open(options, TABLES "leveldb-1.23-elements.ldb");
  EXPECT_ERROR(GetNickel(reader, &message), SSTABLE_RESOURCE_EXHAUSTED, "limit of 100 bytes");
  // A table beyond a limit is reported neither as damaged nor as sound.
  uint64_t count = 77, entries = 77;
  EXPECT_ERROR(sstable_reader_check(reader, &count, &entries, &message), SSTABLE_RESOURCE_EXHAUSTED,
               "limit of 100 bytes");
  EXPECT(count == 0 && entries == 0);
  sstable_problems* problems;
  EXPECT_OK(sstable_reader_find_problems(reader, 10, &problems, &entries, &message));
  EXPECT(sstable_problems_count(problems, &count) == 1 && count == 1 && entries == 0);
  uint64_t offset = 77;
  int is_damage = 77;
  const char* const text = sstable_problems_text(problems, 0, &offset, &is_damage);
  EXPECT(strncmp(text, "data block at offset ", 21) == 0 && strstr(text, "limit of 100") != NULL);
  EXPECT(offset == 0 && is_damage == 0);
  sstable_problems_destroy(problems);
  EXPECT_OK(sstable_reader_find_problems(reader, 0, &problems, NULL, &message));
  EXPECT(sstable_problems_count(problems, &count) == 0 && count == 1);
  sstable_problems_destroy(problems);
  sstable_reader_destroy(reader);
  sstable_reader_options_set_max_uncompressed_block_size(options, 0);

  sstable_reader_options_set_verify(options, 3);
  EXPECT_ERROR(sstable_reader_open(options, TABLES "empty.ldb", &reader, &message),
               SSTABLE_INVALID_ARGUMENT, "verify is 3, expected 0 to 2");
  sstable_reader_options_set_verify(options, SSTABLE_VERIFY_NEVER);
  sstable_reader_options_set_key_kind(options, -1);
  EXPECT_ERROR(sstable_reader_open(options, TABLES "empty.ldb", &reader, &message),
               SSTABLE_INVALID_ARGUMENT, "key kind is -1, expected 0 to 1");
  sstable_reader_options_destroy(options);
}

static void TestOpenErrors(void) {
  sstable_reader* reader = (sstable_reader*)path;
  EXPECT_ERROR(sstable_reader_open(NULL, "no such table", &reader, &message), SSTABLE_NOT_FOUND,
               "no such table");
  EXPECT(reader == NULL);
  EXPECT_ERROR(sstable_reader_open(NULL, TABLES, &reader, &message), SSTABLE_INVALID_ARGUMENT,
               TABLES);
  EXPECT_ERROR(sstable_reader_open(NULL, TABLES "cut-short.ldb", &reader, &message),
               SSTABLE_DATA_LOSS, "cut-short.ldb");
  EXPECT(sstable_reader_open(NULL, "no such table", &reader, NULL) == SSTABLE_NOT_FOUND);
  EXPECT_ERROR(sstable_reader_open(NULL, NULL, &reader, &message), SSTABLE_INVALID_ARGUMENT,
               "path is NULL");
  EXPECT_ERROR(sstable_reader_open(NULL, path, NULL, &message), SSTABLE_INVALID_ARGUMENT,
               "reader is NULL");
  EXPECT_ERROR(sstable_reader_open_memory(NULL, NULL, 1, &reader, &message),
               SSTABLE_INVALID_ARGUMENT, "data is NULL");
  EXPECT_ERROR(sstable_reader_open_memory(NULL, "", 0, NULL, &message), SSTABLE_INVALID_ARGUMENT,
               "reader is NULL");
  EXPECT_ERROR(sstable_reader_open_memory(NULL, NULL, 0, &reader, &message), SSTABLE_DATA_LOSS,
               "memory");

  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  const struct rlimit none = {0, limit.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  EXPECT_ERROR(sstable_reader_open(NULL, TABLES "empty.ldb", &reader, &message),
               SSTABLE_RESOURCE_EXHAUSTED, "empty.ldb");
  setrlimit(RLIMIT_NOFILE, &limit);

  EXPECT(symlink(path, path) == 0);  // links to itself
  EXPECT_ERROR(sstable_reader_open(NULL, path, &reader, &message), SSTABLE_UNKNOWN, path);
}

static void TestGetErrors(void) {
  sstable_reader* const reader = Open(NULL, TABLES "leveldb-1.23-elements.ldb");
  int presence;
  char* value;
  size_t size;
  EXPECT_ERROR(sstable_reader_get(NULL, "a", 1, &presence, &value, &size, &message),
               SSTABLE_INVALID_ARGUMENT, "reader is NULL");
  EXPECT_ERROR(sstable_reader_get(reader, NULL, 1, &presence, &value, &size, &message),
               SSTABLE_INVALID_ARGUMENT, "key is NULL");
  EXPECT_ERROR(sstable_reader_get(reader, "a", 1, NULL, &value, &size, &message),
               SSTABLE_INVALID_ARGUMENT, "presence is NULL");
  EXPECT_ERROR(sstable_reader_get(reader, "a", 1, &presence, NULL, &size, &message),
               SSTABLE_INVALID_ARGUMENT, "value is NULL");
  EXPECT_ERROR(sstable_reader_get(reader, "a", 1, &presence, &value, NULL, &message),
               SSTABLE_INVALID_ARGUMENT, "value_size is NULL");
  EXPECT_ERROR(sstable_reader_filter_status(NULL, &message), SSTABLE_INVALID_ARGUMENT,
               "reader is NULL");
  EXPECT_ERROR(sstable_reader_check(NULL, NULL, NULL, &message), SSTABLE_INVALID_ARGUMENT,
               "reader is NULL");
  sstable_reader_destroy(reader);

  // Reads plain keys as internal ones.
  sstable_reader_options* const options = sstable_reader_options_create();
  sstable_reader_options_set_key_kind(options, SSTABLE_INTERNAL_KEYS);
  sstable_reader* const wrong = Open(options, TABLES "leveldb-1.23-elements.ldb");
  sstable_reader_options_destroy(options);
  EXPECT_ERROR(sstable_reader_get(wrong, "actiniu", 7, &presence, &value, &size, &message),
               SSTABLE_FAILED_PRECONDITION, "keys of another kind");
  EXPECT_ERROR(sstable_reader_filter_status(wrong, &message), SSTABLE_FAILED_PRECONDITION, "key");
  sstable_reader_destroy(wrong);
}

static void TestDamageIsTold(void) {
  static const char place[] = "damaged-data-block.ldb: data block at offset 2049 (2109 bytes)";
  sstable_reader* reader = Open(NULL, TABLES "damaged-data-block.ldb");
  EXPECT_ERROR(GetNickel(reader, &message), SSTABLE_DATA_LOSS, place);
  ExpectFound(reader, (Bytes)BYTES("actinium/number"), (Bytes)BYTES("89"));

  sstable_iterator* const iterator = sstable_iterator_create(reader);
  int entries_before = 0;
  for (sstable_iterator_seek_to_first(iterator); sstable_iterator_valid(iterator);
       sstable_iterator_next(iterator)) {
    ++entries_before;
  }
  EXPECT(entries_before > 0);
  EXPECT_ERROR(sstable_iterator_status(iterator, &message), SSTABLE_DATA_LOSS, place);
  sstable_iterator_next(iterator);
  EXPECT(sstable_iterator_status(iterator, NULL) == SSTABLE_DATA_LOSS);  // the error is permanent
  sstable_iterator_destroy(iterator);

  uint64_t problems = 0, entries = 0;
  EXPECT_ERROR(sstable_reader_check(reader, &problems, &entries, &message), SSTABLE_DATA_LOSS,
               place);
  EXPECT(problems == 1 && entries == 322);
  sstable_reader_destroy(reader);

  reader = Open(NULL, TABLES "damaged-filter-block.ldb");
  EXPECT_ERROR(sstable_reader_filter_status(reader, &message), SSTABLE_DATA_LOSS,
               "damaged-filter-block.ldb: filter block at offset");
  EXPECT_OK(GetNickel(reader, &message));
  sstable_reader_destroy(reader);
}

static void TestVerifySaysWhenAChecksumIsLookedAt(void) {
  sstable_reader_options* const options = sstable_reader_options_create();
  for (int verify = SSTABLE_VERIFY_FIRST_TOUCH; verify <= SSTABLE_VERIFY_NEVER; ++verify) {
    sstable_reader_options_set_verify(options, verify);
    ReadElements();
    sstable_reader* reader = OpenElements(options);
    EXPECT_OK(GetNickel(reader, &message));
    elements[kChecksumOffset] ^= 1;
    if (verify == SSTABLE_VERIFY_ALWAYS) {
      EXPECT_ERROR(GetNickel(reader, &message), SSTABLE_DATA_LOSS, "memory: data block at");
    } else {
      EXPECT_OK(GetNickel(reader, &message));
    }
    sstable_reader_destroy(reader);

    reader = OpenElements(options);
    if (verify == SSTABLE_VERIFY_NEVER) {
      EXPECT_OK(GetNickel(reader, &message));
    } else {
      EXPECT_ERROR(GetNickel(reader, &message), SSTABLE_DATA_LOSS, "memory: data block at");
    }
    sstable_reader_destroy(reader);
  }
  elements[kTypeOffset] = 9;
  sstable_reader* const reader = OpenElements(options);
  EXPECT_ERROR(GetNickel(reader, &message), SSTABLE_UNIMPLEMENTED, "memory: data block at");
  sstable_reader_destroy(reader);
  sstable_reader_options_destroy(options);
}

// If a file is read instead of mapped, a cached block stays available after the file is truncated.
static void TestBlockCacheAndUnmappedFile(void) {
  sstable_reader_options* const options = sstable_reader_options_create();
  sstable_reader_options_set_map_file(options, 0);
  for (int has_cache = 0; has_cache <= 1; ++has_cache) {
    ReadElements();
    FILE* const file = fopen(path, "wb");
    EXPECT(fwrite(elements, 1, elements_size, file) == elements_size);
    fclose(file);
    if (has_cache) EXPECT_OK(sstable_reader_options_set_block_cache(options, 1 << 20, &message));
    sstable_reader* const reader = Open(options, path);
    EXPECT_OK(GetNickel(reader, &message));
    EXPECT(truncate(path, kBlockOffset) == 0);
    if (has_cache) {
      EXPECT_OK(GetNickel(reader, &message));
    } else {
      EXPECT_ERROR(GetNickel(reader, &message), SSTABLE_DATA_LOSS, path);
    }
    sstable_reader_destroy(reader);
  }
  EXPECT_OK(sstable_reader_options_set_block_cache(options, 0, &message));
  sstable_reader_options_destroy(options);
}

int main(void) {
  static void (*const tests[])(void) = {
      TestInternalKeys,
      TestReaderOptionsTakeEffect,
      TestOpenErrors,
      TestGetErrors,
      TestDamageIsTold,
      TestVerifySaysWhenAChecksumIsLookedAt,
      TestBlockCacheAndUnmappedFile,
  };
  return RunTests(tests, sizeof(tests) / sizeof(tests[0]));
}
