// Tests the C API for databases from C.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sstable/c.h"
#include "tests/c/c_expect.h"

#define FOLDER "tests/testdata/database"

enum { kCapacity = 16 };  // more than FOLDER's entries

static char keys[1 << 10], values[1 << 10];
static uint64_t key_offsets[kCapacity + 1], value_offsets[kCapacity + 1];

static size_t Read(sstable_iterator* iterator, int reverse) {
  sstable_column key_column = {keys, sizeof(keys), key_offsets, SSTABLE_COLUMN_BYTES, 0};
  sstable_column value_column = {values, sizeof(values), value_offsets, SSTABLE_COLUMN_BYTES, 0};
  size_t count;
  EXPECT_OK(sstable_iterator_read(iterator, reverse, kCapacity, &key_column, &value_column, &count,
                                  &message));
  return count;
}

static void TestDatabaseIsRead(void) {
  sstable_database* database;
  EXPECT_OK(sstable_database_open(FOLDER, &database, &message));
  EXPECT(sstable_database_last_sequence(database) > 0);
  sstable_problems* problems;
  EXPECT_OK(sstable_database_problems(database, &problems, &message));
  EXPECT(sstable_problems_count(problems, NULL) == 0);
  sstable_problems_destroy(problems);

  sstable_iterator* iterator;
  EXPECT_OK(sstable_iterator_create_database(database, SSTABLE_MAX_SEQUENCE, &iterator, &message));
  sstable_iterator_seek_to_first(iterator);
  const size_t count = Read(iterator, 0);
  EXPECT(count == 5);
  size_t key_sizes[kCapacity];
  for (size_t i = 0; i < count; ++i) key_sizes[i] = key_offsets[i + 1] - key_offsets[i];
  uint64_t found_offsets[kCapacity + 1];
  sstable_column column = {NULL, 0, found_offsets, SSTABLE_COLUMN_BYTES, 0};
  EXPECT_OK(sstable_database_get_many(database, count, keys, key_sizes, SSTABLE_MAX_SEQUENCE, NULL,
                                      &column, &message));
  EXPECT(memcmp(found_offsets, value_offsets, (count + 1) * sizeof(uint64_t)) == 0);
  EXPECT(memcmp(column.data, values, value_offsets[count]) == 0);
  sstable_free(column.data);
  char* found;
  int presence;
  size_t size;
  EXPECT_OK(sstable_database_get(database, keys, key_offsets[1], SSTABLE_MAX_SEQUENCE, &presence,
                                 &found, &size, &message));
  EXPECT(presence == SSTABLE_FOUND && size == value_offsets[1]);
  sstable_free(found);
  EXPECT_OK(
      sstable_database_get(database, keys, key_offsets[1], 0, &presence, &found, &size, &message));
  EXPECT(presence == SSTABLE_ABSENT && found == NULL);
  sstable_database_destroy(database);  // before its iterator
  sstable_iterator_seek_to_last(iterator);
  EXPECT(Read(iterator, 1) == count);
  sstable_iterator_destroy(iterator);

  EXPECT_ERROR(sstable_database_open("no such folder", &database, &message), SSTABLE_NOT_FOUND,
               "no such folder");
  EXPECT(database == NULL);
  EXPECT_ERROR(sstable_database_open(NULL, &database, &message), SSTABLE_INVALID_ARGUMENT,
               "folder is NULL");
  EXPECT_ERROR(sstable_database_get_many(NULL, 0, NULL, NULL, 0, NULL, &column, &message),
               SSTABLE_INVALID_ARGUMENT, "is NULL");
  sstable_database_destroy(NULL);
  sstable_problems_destroy(NULL);
}

static void TestDatabaseIsCheckedMeasuredAndSalvaged(void) {
  sstable_database* database;
  EXPECT_OK(sstable_database_open(FOLDER, &database, &message));
  sstable_problems* problems;
  uint64_t entries, total, size, half;
  EXPECT_OK(sstable_database_check(database, 10, &problems, &entries, &message));
  EXPECT(sstable_problems_count(problems, &total) == 0 && total == 0 && entries == 7);
  sstable_problems_destroy(problems);
  EXPECT_OK(sstable_database_check(database, 0, &problems, NULL, &message));
  sstable_problems_destroy(problems);
  EXPECT_OK(sstable_database_approximate_size(database, NULL, 0, "\xff", 1, &size, &message));
  EXPECT(size == 200 + 148);  // includes both tables
  EXPECT_OK(sstable_database_approximate_size(database, "d", 1, "\xff", 1, &half, &message));
  EXPECT(half < size);
  EXPECT_OK(sstable_database_approximate_size(database, "d", 1, "c", 1, &half, &message));
  EXPECT(half == 0);

  char new_folder[4096];
  snprintf(new_folder, sizeof(new_folder), "%s/salvaged", getenv("TEST_TMPDIR"));
  int is_complete = 0;
  EXPECT_OK(sstable_salvage(FOLDER, new_folder, &problems, &entries, &is_complete, &message));
  EXPECT(sstable_problems_count(problems, NULL) == 0 && entries == 9 && is_complete == 1);
  sstable_problems_destroy(problems);
  EXPECT_ERROR(sstable_salvage(FOLDER, new_folder, &problems, NULL, NULL, &message),
               SSTABLE_ALREADY_EXISTS, new_folder);
  EXPECT(problems == NULL);

  EXPECT_ERROR(sstable_salvage(NULL, new_folder, &problems, NULL, NULL, &message),
               SSTABLE_INVALID_ARGUMENT, "path is NULL");
  EXPECT_ERROR(sstable_database_check(database, 1, NULL, NULL, &message), SSTABLE_INVALID_ARGUMENT,
               "problems is NULL");
  EXPECT_ERROR(sstable_database_check(NULL, 1, &problems, &entries, &message),
               SSTABLE_INVALID_ARGUMENT, "database is NULL");
  EXPECT(problems == NULL && entries == 0);
  EXPECT_ERROR(sstable_database_approximate_size(database, NULL, 1, "", 0, &size, &message),
               SSTABLE_INVALID_ARGUMENT, "start is NULL");
  EXPECT(size == 0);
  sstable_database_destroy(database);
}

int main(void) {
  static void (*const tests[])(void) = {
      TestDatabaseIsRead,
      TestDatabaseIsCheckedMeasuredAndSalvaged,
  };
  return RunTests(tests, sizeof(tests) / sizeof(tests[0]));
}
