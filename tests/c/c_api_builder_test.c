// Tests the C API from C: building tables with each builder option, reading them, iterating, and
// the errors.
#define _POSIX_C_SOURCE 200809L  // unlink

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sstable/c.h"
#include "tests/c/c_expect.h"

// Keys and values in ascending order, with all bytes that C strings can't contain or that signed
// chars would sort wrongly.
static const Bytes kKeys[] = {BYTES(""),     BYTES("\0"),    BYTES("\0\0"),  BYTES("a"),
                              BYTES("a\0b"), BYTES("a\x7f"), BYTES("a\x80"), BYTES("\xff\xff")};
static const Bytes kValues[] = {
    BYTES("of the empty key"), BYTES(""),    BYTES("\0"),   BYTES("\xff\0\xff"), BYTES("four"),
    BYTES("five\n"),           BYTES("six"), BYTES("seven")};
enum { kCount = sizeof(kKeys) / sizeof(kKeys[0]) };

static int PathExists(void) {
  FILE* const file = fopen(path, "rb");
  if (file != NULL) fclose(file);
  return file != NULL;
}

// Writes kKeys and kValues to `path`. Takes ownership of the options.
static uint64_t Build(sstable_builder_options* options) {
  sstable_builder* builder;
  EXPECT_OK(sstable_builder_create(options, path, &builder, &message));
  sstable_builder_options_destroy(options);
  for (int i = 0; i < kCount; ++i) {
    EXPECT(sstable_builder_entry_count(builder) == (uint64_t)i);
    EXPECT_OK(sstable_builder_add(builder, kKeys[i].bytes, kKeys[i].size, kValues[i].bytes,
                                  kValues[i].size, &message));
  }
  EXPECT_OK(sstable_builder_finish(builder, &message));
  const uint64_t size = sstable_builder_file_size(builder);
  sstable_builder_destroy(builder);
  return size;
}

static void ExpectAbsent(const sstable_reader* reader, Bytes key) {
  int presence = -1;
  char* value = path;
  size_t size = 1;
  EXPECT_OK(sstable_reader_get(reader, key.bytes, key.size, &presence, &value, &size, &message));
  EXPECT(presence == SSTABLE_ABSENT && value == NULL && size == 0);
}

static void ExpectEntry(const sstable_iterator* iterator, int i) {
  size_t size;
  EXPECT(sstable_iterator_valid(iterator) == 1);
  const char* bytes = sstable_iterator_key(iterator, &size);
  EXPECT(Same(kKeys[i], bytes, size));
  bytes = sstable_iterator_value(iterator, &size);
  EXPECT(Same(kValues[i], bytes, size));
}

static void ExpectEnd(const sstable_iterator* iterator) {
  size_t size = 1;
  EXPECT(sstable_iterator_valid(iterator) == 0);
  EXPECT(sstable_iterator_key(iterator, &size) == NULL && size == 0);
  EXPECT(sstable_iterator_value(iterator, NULL) == NULL);
  EXPECT_OK(sstable_iterator_status(iterator, &message));
}

static void ExpectAllEntries(const sstable_reader* reader) {
  for (int i = 0; i < kCount; ++i) ExpectFound(reader, kKeys[i], kValues[i]);
  ExpectAbsent(reader, (Bytes)BYTES("a\0"));
  ExpectAbsent(reader, (Bytes)BYTES("\xff\xff\xff"));

  uint64_t problems = 1, entries = 1;
  EXPECT_OK(sstable_reader_check(reader, &problems, &entries, &message));
  EXPECT(problems == 0 && entries == kCount);
  EXPECT_OK(sstable_reader_check(reader, NULL, NULL, &message));
}

static void TestVersion(void) {
  EXPECT(SSTABLE_API_VERSION == 6);
  EXPECT(strcmp(sstable_version(), "0.1.0") == 0);
  EXPECT(sstable_api_version() == SSTABLE_API_VERSION);
}

static void TestNullIsDestroyedQuietly(void) {
  sstable_builder_options_destroy(NULL);
  sstable_builder_destroy(NULL);
  sstable_builder_abandon(NULL);
  sstable_reader_options_destroy(NULL);
  sstable_reader_destroy(NULL);
  sstable_iterator_destroy(NULL);
  sstable_free(NULL);
}

static void TestWhatIsBuiltIsRead(void) {
  const uint64_t size = Build(NULL);
  FILE* const file = fopen(path, "rb");
  fseek(file, 0, SEEK_END);
  EXPECT((uint64_t)ftell(file) == size);
  fclose(file);

  sstable_reader* const reader = Open(NULL, path);
  ExpectAllEntries(reader);
  EXPECT_ERROR(sstable_reader_filter_status(reader, &message), SSTABLE_NOT_FOUND,
               "no filter block");
  EXPECT(sstable_reader_filter_policy(reader) == NULL);
  sstable_reader_destroy(reader);
}

static void TestIteratorWalksBothWaysAndOutlivesItsReader(void) {
  Build(NULL);
  sstable_reader* const reader = Open(NULL, path);
  sstable_iterator* const iterator = sstable_iterator_create(reader);
  sstable_reader_destroy(reader);
  ExpectEnd(iterator);
  sstable_iterator_next(iterator);  // starts on no entry
  sstable_iterator_prev(iterator);
  ExpectEnd(iterator);

  int i = 0;
  for (sstable_iterator_seek_to_first(iterator); sstable_iterator_valid(iterator);
       sstable_iterator_next(iterator)) {
    ExpectEntry(iterator, i++);
  }
  EXPECT(i == kCount);
  ExpectEnd(iterator);
  for (sstable_iterator_seek_to_last(iterator); sstable_iterator_valid(iterator);
       sstable_iterator_prev(iterator)) {
    ExpectEntry(iterator, --i);
  }
  EXPECT(i == 0);
  ExpectEnd(iterator);

  for (i = 0; i < kCount; ++i) {
    sstable_iterator_seek(iterator, kKeys[i].bytes, kKeys[i].size);
    ExpectEntry(iterator, i);
  }
  sstable_iterator_seek(iterator, "a\0a", 3);  // between two keys
  ExpectEntry(iterator, 4);
  sstable_iterator_seek(iterator, NULL, 0);
  ExpectEntry(iterator, 0);
  sstable_iterator_seek(iterator, "\xff\xff\xff", 3);
  ExpectEnd(iterator);

  sstable_iterator_seek(iterator, NULL, 1);
  EXPECT(sstable_iterator_valid(iterator) == 0);
  EXPECT_ERROR(sstable_iterator_status(iterator, &message), SSTABLE_INVALID_ARGUMENT,
               "key is NULL");
  sstable_iterator_seek(iterator, "a", 1);
  ExpectEntry(iterator, 3);
  sstable_iterator_destroy(iterator);

  EXPECT(sstable_iterator_create(NULL) == NULL);
  EXPECT_ERROR(sstable_iterator_status(NULL, &message), SSTABLE_INVALID_ARGUMENT, "NULL");
}

// Writes entries that compress well to `path`. Takes ownership of the options.
static uint64_t BuildLarge(sstable_builder_options* options) {
  static const char zeros[1000];
  sstable_builder* builder;
  EXPECT_OK(sstable_builder_create(options, path, &builder, &message));
  sstable_builder_options_destroy(options);
  for (int i = 0; i < 100; ++i) {
    char key[16];
    snprintf(key, sizeof(key), "key%03d", i);
    EXPECT_OK(sstable_builder_add(builder, key, 6, zeros, sizeof(zeros), &message));
  }
  EXPECT_OK(sstable_builder_finish(builder, &message));
  const uint64_t size = sstable_builder_file_size(builder);
  sstable_builder_destroy(builder);

  sstable_reader* const reader = Open(NULL, path);
  ExpectFound(reader, (Bytes)BYTES("key042"), (Bytes){zeros, sizeof(zeros)});
  uint64_t entries = 0;
  EXPECT_OK(sstable_reader_check(reader, NULL, &entries, &message));
  EXPECT(entries == 100);
  sstable_reader_destroy(reader);
  return size;
}

static void TestBuilderOptionsTakeEffect(void) {
  const uint64_t snappy = BuildLarge(sstable_builder_options_create());
  sstable_builder_options* options = sstable_builder_options_create();
  sstable_builder_options_set_compression(options, SSTABLE_ZSTD);
  const uint64_t zstd = BuildLarge(options);
  options = sstable_builder_options_create();
  sstable_builder_options_set_compression(options, SSTABLE_ZLIB);
  const uint64_t zlib = BuildLarge(options);
  options = sstable_builder_options_create();
  sstable_builder_options_set_compression(options, SSTABLE_RAW_DEFLATE);
  const uint64_t raw_deflate = BuildLarge(options);
  options = sstable_builder_options_create();
  sstable_builder_options_set_compression(options, SSTABLE_NO_COMPRESSION);
  const uint64_t raw = BuildLarge(options);
  EXPECT(raw > 100 * 1000 && snappy < raw / 2 && zstd < raw / 2 && snappy != zstd);
  EXPECT(zlib < raw / 2 && raw_deflate < zlib);  // zlib adds a header and a checksum

  options = sstable_builder_options_create();
  sstable_builder_options_set_compression(options, SSTABLE_NO_COMPRESSION);
  sstable_builder_options_set_block_size(options, 1);
  EXPECT(BuildLarge(options) > raw + 1000);
  options = sstable_builder_options_create();
  sstable_builder_options_set_compression(options, SSTABLE_NO_COMPRESSION);
  sstable_builder_options_set_restart_interval(options, 1);
  EXPECT(BuildLarge(options) > raw);

  options = sstable_builder_options_create();
  sstable_builder_options_set_bloom_bits_per_key(options, 10);
  Build(options);
  sstable_reader* const reader = Open(NULL, path);
  ExpectAllEntries(reader);
  EXPECT_OK(sstable_reader_filter_status(reader, &message));
  EXPECT(strcmp(sstable_reader_filter_policy(reader), "leveldb.BuiltinBloomFilter2") == 0);
  sstable_reader_destroy(reader);
}

static void ExpectRefused(sstable_builder_options* options, const char* text) {
  sstable_builder* builder = (sstable_builder*)path;
  EXPECT_ERROR(sstable_builder_create(options, path, &builder, &message), SSTABLE_INVALID_ARGUMENT,
               text);
  EXPECT(builder == NULL && !PathExists());
  sstable_builder_options_destroy(options);
}

static void TestBuilderOptionsOutOfRangeAreRefused(void) {
  sstable_builder_options* options = sstable_builder_options_create();
  sstable_builder_options_set_key_kind(options, 2);
  ExpectRefused(options, "key kind is 2, expected 0 to 1");
  options = sstable_builder_options_create();
  sstable_builder_options_set_block_size(options, 0);
  ExpectRefused(options, "block_size is 0");
  options = sstable_builder_options_create();
  sstable_builder_options_set_restart_interval(options, 0);
  ExpectRefused(options, "block_restart_interval is 0");
  options = sstable_builder_options_create();
  sstable_builder_options_set_compression(options, -1);
  ExpectRefused(options, "compression is -1, expected 0 to 4");
  options = sstable_builder_options_create();
  sstable_builder_options_set_compression(options, 5);
  ExpectRefused(options, "compression is 5, expected 0 to 4");
  options = sstable_builder_options_create();
  sstable_builder_options_set_bloom_bits_per_key(options, 65537);
  ExpectRefused(options, "bits per key is 65537, expected 0 to 65536");
}

static void TestBuilderErrors(void) {
  sstable_builder* builder;
  EXPECT_OK(sstable_builder_create(NULL, path, &builder, &message));
  EXPECT_OK(sstable_builder_add(builder, "b", 1, "1", 1, &message));
  EXPECT_ERROR(sstable_builder_add(builder, "a", 1, "2", 1, &message), SSTABLE_INVALID_ARGUMENT,
               path);
  EXPECT_ERROR(sstable_builder_add(builder, "c", 1, "3", 1, &message), SSTABLE_INVALID_ARGUMENT,
               "\"a\"");
  EXPECT(sstable_builder_finish(builder, NULL) == SSTABLE_INVALID_ARGUMENT);  // no message
  sstable_builder_destroy(builder);
  EXPECT(!PathExists());

  EXPECT_OK(sstable_builder_create(NULL, path, &builder, &message));
  EXPECT_ERROR(sstable_builder_add(builder, NULL, 1, "", 0, &message), SSTABLE_INVALID_ARGUMENT,
               "key is NULL");
  EXPECT_ERROR(sstable_builder_finish(builder, &message), SSTABLE_INVALID_ARGUMENT, "is NULL");
  sstable_builder_destroy(builder);
  EXPECT_OK(sstable_builder_create(NULL, path, &builder, &message));
  EXPECT_ERROR(sstable_builder_add(builder, "", 0, NULL, 1, &message), SSTABLE_INVALID_ARGUMENT,
               "value is NULL");
  sstable_builder_destroy(builder);

  EXPECT_OK(sstable_builder_create(NULL, path, &builder, &message));
  sstable_builder_abandon(builder);
  EXPECT_ERROR(sstable_builder_finish(builder, &message), SSTABLE_FAILED_PRECONDITION, "Abandon()");
  sstable_builder_destroy(builder);
  EXPECT(!PathExists());

  EXPECT_OK(sstable_builder_create(NULL, path, &builder, &message));
  EXPECT_OK(sstable_builder_finish(builder, &message));  // a table without entries
  EXPECT_ERROR(sstable_builder_add(builder, "a", 1, "1", 1, &message), SSTABLE_FAILED_PRECONDITION,
               "Finish()");
  sstable_builder_destroy(builder);
  EXPECT(PathExists());

  sstable_builder_options* const options = sstable_builder_options_create();
  sstable_builder_options_set_replace(options, 0);
  EXPECT_ERROR(sstable_builder_create(options, path, &builder, &message), SSTABLE_ALREADY_EXISTS,
               "exists");
  EXPECT(builder == NULL);
  fclose(fopen(path, "wb"));  // an empty file, as made by mktemp
  EXPECT_OK(sstable_builder_create(options, path, &builder, &message));
  EXPECT_OK(sstable_builder_finish(builder, &message));
  sstable_builder_destroy(builder);
  sstable_builder_options_destroy(options);

  EXPECT_ERROR(sstable_builder_create(NULL, "no such folder/table", &builder, &message),
               SSTABLE_NOT_FOUND, "no such folder/table");
  EXPECT_ERROR(sstable_builder_create(NULL, NULL, &builder, &message), SSTABLE_INVALID_ARGUMENT,
               "path is NULL");
  EXPECT_ERROR(sstable_builder_create(NULL, path, NULL, &message), SSTABLE_INVALID_ARGUMENT,
               "builder is NULL");
  EXPECT_ERROR(sstable_builder_add(NULL, "a", 1, "1", 1, &message), SSTABLE_INVALID_ARGUMENT,
               "builder is NULL");
  EXPECT_ERROR(sstable_builder_finish(NULL, &message), SSTABLE_INVALID_ARGUMENT, "builder is NULL");
}

int main(void) {
  static void (*const tests[])(void) = {
      TestVersion,
      TestNullIsDestroyedQuietly,
      TestWhatIsBuiltIsRead,
      TestIteratorWalksBothWaysAndOutlivesItsReader,
      TestBuilderOptionsTakeEffect,
      TestBuilderOptionsOutOfRangeAreRefused,
      TestBuilderErrors,
  };
  return RunTests(tests, sizeof(tests) / sizeof(tests[0]));
}
