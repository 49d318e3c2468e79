// Tests the C API from C: reading past damage, all versions, custom orders, and decoders.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c/decode/decoder.h"
#include "sstable/c.h"
#include "tests/c/c_expect.h"

#define FOLDER "tests/testdata/database"
#define DAMAGED "tests/testdata/damaged-data-block.ldb"

// Counts all entries.
static size_t Count(sstable_iterator* iterator) {
  size_t count = 0;
  sstable_iterator_seek_to_first(iterator);
  for (; sstable_iterator_valid(iterator); sstable_iterator_next(iterator)) ++count;
  return count;
}

static void TestReaderSkipsDamage(void) {
  sstable_reader* reader = Open(NULL, DAMAGED);
  sstable_iterator* iterator = sstable_iterator_create(reader);
  EXPECT(Count(iterator) < 322);
  EXPECT_ERROR(sstable_iterator_status(iterator, &message), SSTABLE_DATA_LOSS, "offset 2049");
  sstable_iterator_destroy(iterator);

  EXPECT_OK(sstable_reader_skip_damage(reader, &message));
  iterator = sstable_iterator_create(reader);
  EXPECT(Count(iterator) == 322);
  EXPECT_OK(sstable_iterator_status(iterator, &message));
  sstable_iterator_destroy(iterator);
  sstable_problems* problems;
  EXPECT_OK(sstable_reader_skipped(reader, &problems, &message));
  EXPECT(sstable_problems_count(problems, NULL) == 1);
  sstable_problems_destroy(problems);
  sstable_reader_destroy(reader);
  EXPECT_ERROR(sstable_reader_skip_damage(NULL, &message), SSTABLE_INVALID_ARGUMENT, "NULL");
  EXPECT_ERROR(sstable_reader_skipped(NULL, &problems, &message), SSTABLE_INVALID_ARGUMENT, "NULL");
}

static void TestWorkIsLimited(void) {
  sstable_reader_options* options = sstable_reader_options_create();
  sstable_reader_options_set_max_work(options, 1);
  sstable_reader* reader = Open(options, DAMAGED);
  EXPECT_OK(sstable_reader_skip_damage(reader, &message));
  sstable_iterator* iterator = sstable_iterator_create(reader);
  EXPECT(Count(iterator) == 322);  // one pass over a small table does not reach the limit
  sstable_iterator_destroy(iterator);
  sstable_reader_destroy(reader);
  sstable_reader_options_destroy(options);
}

// Makes a folder whose only table has a damaged block.
static void MakeDamagedFolder(char* folder, size_t size) {
  char command[5 * 4096];
  snprintf(folder, size, "%s/damaged", getenv("TEST_TMPDIR"));
  snprintf(command, sizeof(command),
           "rm -rf %s && cp -rL " FOLDER
           " %s && chmod u+w %s/* && "
           "printf '\\377' | dd of=%s/000005.ldb bs=1 seek=10 conv=notrunc status=none",
           folder, folder, folder, folder);
  EXPECT(system(command) == 0);
}

static void TestDatabaseSkipsDamage(void) {
  char folder[4096];
  MakeDamagedFolder(folder, sizeof(folder));
  sstable_database* database;
  EXPECT_OK(sstable_database_open(folder, &database, &message));
  sstable_iterator* iterator;
  EXPECT_OK(sstable_iterator_create_database(database, SSTABLE_MAX_SEQUENCE, &iterator, &message));
  Count(iterator);
  EXPECT_ERROR(sstable_iterator_status(iterator, &message), SSTABLE_DATA_LOSS, "000005.ldb");
  sstable_iterator_destroy(iterator);

  EXPECT_OK(sstable_database_skip_damage(database, &message));
  EXPECT_OK(sstable_iterator_create_database(database, SSTABLE_MAX_SEQUENCE, &iterator, &message));
  EXPECT(Count(iterator) == 3);
  EXPECT_OK(sstable_iterator_status(iterator, &message));
  sstable_iterator_destroy(iterator);
  sstable_problems* problems;
  EXPECT_OK(sstable_database_problems(database, &problems, &message));
  EXPECT(sstable_problems_count(problems, NULL) == 1);
  sstable_problems_destroy(problems);
  EXPECT_OK(sstable_iterator_create_history(database, &iterator, &message));
  EXPECT(Count(iterator) == 4);
  sstable_iterator_destroy(iterator);
  sstable_database_destroy(database);
  EXPECT_ERROR(sstable_database_skip_damage(NULL, &message), SSTABLE_INVALID_ARGUMENT, "NULL");
}

static void TestHistoryHasAllVersions(void) {
  sstable_database* database;
  EXPECT_OK(sstable_database_open(FOLDER, &database, &message));
  sstable_iterator* iterator;
  EXPECT_OK(sstable_iterator_create_history(database, &iterator, &message));
  EXPECT(Count(iterator) == 9);
  EXPECT_OK(sstable_iterator_status(iterator, &message));
  size_t size;
  static const char kBanana[] = "colour/banana\1\377\377\377\377\377\377\377";
  sstable_iterator_seek(iterator, kBanana, sizeof(kBanana) - 1);
  const char* key = sstable_iterator_key(iterator, &size);
  EXPECT(size == 13 + 8 && memcmp(key, "colour/banana\1\6\0\0\0\0\0\0", size) == 0);
  sstable_iterator_prev(iterator);
  EXPECT_ERROR(sstable_iterator_status(iterator, &message), SSTABLE_UNIMPLEMENTED, "");
  sstable_iterator_destroy(iterator);
  sstable_database_destroy(database);
  EXPECT_ERROR(sstable_iterator_create_history(NULL, &iterator, &message), SSTABLE_INVALID_ARGUMENT,
               "NULL");
}

static int CompareBytes(void* context, const char* a, size_t a_size, const char* b, size_t b_size) {
  ++*(int*)context;
  const int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
  return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}
static void Release(void* context) { *(int*)context += 1000000; }

static void TestOrderOfOnesOwn(void) {
  int calls = 0;
  sstable_database* database;
  EXPECT_OK(
      sstable_database_open_in_order(FOLDER, CompareBytes, Release, &calls, &database, &message));
  sstable_iterator* iterator;
  EXPECT_OK(sstable_iterator_create_database(database, SSTABLE_MAX_SEQUENCE, &iterator, &message));
  EXPECT(Count(iterator) == 5);
  sstable_database_destroy(database);
  EXPECT(calls > 0 && calls < 1000000);
  sstable_iterator_destroy(iterator);
  EXPECT(calls > 1000000 && calls < 2000000);  // released once, with its last user
  calls = 0;
  EXPECT_ERROR(sstable_database_open_in_order("no such folder", CompareBytes, Release, &calls,
                                              &database, &message),
               SSTABLE_NOT_FOUND, "no such folder");
  EXPECT(calls == 1000000);
}

static void TestEntriesAreDecoded(void) {
  sstable_builder* builder;
  EXPECT_OK(sstable_builder_create(NULL, path, &builder, &message));
  EXPECT_OK(sstable_builder_add(builder, "!a!x", 4, "{\"n\":1}", 7, &message));
  EXPECT_OK(sstable_builder_finish(builder, &message));
  sstable_builder_destroy(builder);

  sstable_reader* reader = Open(NULL, path);
  sstable_decoder* decoder;
  EXPECT_ERROR(sstable_decoder_create(reader, "word", &decoder, &message), SSTABLE_INVALID_ARGUMENT,
               "word");
  EXPECT_OK(sstable_decoder_create(reader, "bitcoin", &decoder, &message));
  EXPECT(decoder == NULL);
  EXPECT_OK(sstable_decoder_create(reader, "auto", &decoder, &message));
  sstable_reader_destroy(reader);  // before its decoder
  EXPECT(strcmp(sstable_decoder_format(decoder), "text with values in JSON") == 0);
  EXPECT(strcmp(sstable_decoder_doubt(decoder), "") == 0);
  char* json;
  size_t size;
  EXPECT_OK(sstable_decoder_decode(decoder, "!b!y", 4, "[2]", 3, &json, &size, &message));
  static const char kJson[] =
      "{\"key\":{\"kind\":\"entry\",\"sublevels\":[\"b\"],\"key\":\"y\"},\"value\":[2]}";
  EXPECT(size == strlen(kJson) && memcmp(json, kJson, size) == 0);
  sstable_free(json);
  EXPECT_OK(sstable_decoder_decode(decoder, "\xff", 1, "", 0, &json, &size, &message));
  EXPECT(size == 2 && memcmp(json, "{}", size) == 0);
  sstable_free(json);
  sstable_decoder_destroy(decoder);

  sstable_database* database;
  EXPECT_OK(sstable_database_open(FOLDER, &database, &message));
  EXPECT_OK(sstable_decoder_create_database(database, "json", &decoder, &message));
  EXPECT(decoder == NULL);  // the values are not JSON
  sstable_database_destroy(database);
  sstable_decoder_destroy(NULL);
  EXPECT_ERROR(sstable_decoder_create(NULL, "auto", &decoder, &message), SSTABLE_INVALID_ARGUMENT,
               "NULL");
}

int main(void) {
  static void (*const tests[])(void) = {
      TestReaderSkipsDamage,     TestWorkIsLimited,  TestDatabaseSkipsDamage,
      TestHistoryHasAllVersions, TestOrderOfOnesOwn, TestEntriesAreDecoded,
  };
  return RunTests(tests, sizeof(tests) / sizeof(tests[0]));
}
