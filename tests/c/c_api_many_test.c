// Tests the C API from C: reading many entries or keys at a time, bounds, filters and problems.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "c/arrow_abi.h"
#include "sstable/c.h"
#include "tests/c/c_expect.h"

#define TABLES "tests/testdata/"

enum { kCount = 1000, kKeySize = 6 };

// Builds a table with keys "k00000" to "k00999". The value of key i has min(i, 40) bytes.
static void BuildTable(sstable_builder_options* options) {
  static char keys[kCount * kKeySize + 1], values[kCount * 40];
  static size_t key_sizes[kCount], value_sizes[kCount];
  memset(values, 'v', sizeof(values));
  for (int i = 0; i < kCount; ++i) {
    snprintf(keys + i * kKeySize, kKeySize + 1, "k%05u", (unsigned)i % kCount);
    key_sizes[i] = kKeySize;
    value_sizes[i] = i < 40 ? i : 40;
  }
  sstable_builder* builder;
  EXPECT_OK(sstable_builder_create(options, path, &builder, &message));
  sstable_builder_options_destroy(options);
  EXPECT_OK(
      sstable_builder_add_many(builder, kCount, keys, key_sizes, values, value_sizes, &message));
  EXPECT(sstable_builder_entry_count(builder) == kCount);
  EXPECT_OK(sstable_builder_finish(builder, &message));
  sstable_builder_destroy(builder);
}

static sstable_reader* OpenTable(void) {
  BuildTable(NULL);
  return Open(NULL, path);
}

static char keys[1 << 14], values[1 << 16];
static uint64_t key_offsets[kCount + 1], value_offsets[kCount + 1];

// Reads at most `max_count` entries into columns of the given capacities.
static size_t Read(sstable_iterator* iterator, int reverse, size_t max_count, size_t key_capacity,
                   size_t value_capacity) {
  sstable_column key_column = {keys, key_capacity, key_offsets, SSTABLE_COLUMN_BYTES, 77};
  sstable_column value_column = {values, value_capacity, value_offsets, SSTABLE_COLUMN_BYTES, 77};
  size_t count = 77;
  EXPECT_OK(sstable_iterator_read(iterator, reverse, max_count, &key_column, &value_column, &count,
                                  &message));
  EXPECT(key_column.size == key_offsets[count] && value_column.size == value_offsets[count]);
  return count;
}

// Returns true if entry i of the columns has the key and value of this number.
static int IsEntry(size_t i, int number) {
  char key[kKeySize + 1];
  snprintf(key, sizeof(key), "k%05d", number);
  const uint64_t size = value_offsets[i + 1] - value_offsets[i];
  return key_offsets[i + 1] - key_offsets[i] == kKeySize &&
         memcmp(keys + key_offsets[i], key, kKeySize) == 0 &&
         size == (uint64_t)(number < 40 ? number : 40) &&
         (size == 0 || values[value_offsets[i]] == 'v');
}

static void TestReadCopiesEntriesInBothDirections(void) {
  sstable_reader* const reader = OpenTable();
  sstable_iterator* const iterator = sstable_iterator_create(reader);
  sstable_reader_destroy(reader);
  EXPECT(Read(iterator, 0, kCount, sizeof(keys), sizeof(values)) == 0);  // on no entry yet
  sstable_iterator_seek_to_first(iterator);
  EXPECT(Read(iterator, 0, 10, sizeof(keys), sizeof(values)) == 10);
  EXPECT(Read(iterator, 0, kCount, sizeof(keys), sizeof(values)) == kCount - 10);
  for (int i = 10; i < kCount; ++i) EXPECT(IsEntry(i - 10, i));
  EXPECT(Read(iterator, 0, kCount, sizeof(keys), sizeof(values)) == 0);
  EXPECT(!sstable_iterator_valid(iterator));

  sstable_iterator_seek_to_last(iterator);
  EXPECT(Read(iterator, 1, 3, sizeof(keys), sizeof(values)) == 3);
  for (int i = 0; i < 3; ++i) EXPECT(IsEntry(i, kCount - 1 - i));

  // A column may be null.
  sstable_column column = {keys, sizeof(keys), key_offsets, SSTABLE_COLUMN_BYTES, 0};
  size_t count;
  sstable_iterator_seek(iterator, "k00990", kKeySize);
  EXPECT_OK(sstable_iterator_read(iterator, 0, kCount, &column, NULL, &count, &message));
  EXPECT(count == 10 && memcmp(keys, "k00990k00991", 12) == 0 && column.size == 60);

  // To see what these bytes mean, use Python's pickletools.dis(). The capacity suffices for one
  // item at most.
  static const char pickle[] = "\x80\4(C\6k00998t.";
  const size_t pickle_size = sizeof(pickle) - 1;
  for (size_t room = 0; room < 3 + 2 + 6 + 16 + 2; ++room) {
    column = (sstable_column){keys, room, NULL, SSTABLE_COLUMN_PICKLE, 77};
    memset(keys, 'x', sizeof(keys));
    sstable_iterator_seek(iterator, "k00998", kKeySize);
    EXPECT_OK(sstable_iterator_read(iterator, 0, kCount, &column, NULL, &count, &message));
    EXPECT(keys[room] == 'x');
    if (room >= 6 + 16) EXPECT(count == 1 && memcmp(keys, pickle, pickle_size) == 0);
    if (count == 1) EXPECT(column.size == pickle_size);
    if (count == 0) EXPECT(sstable_iterator_valid(iterator) && column.size <= 5);
  }
  sstable_iterator_destroy(iterator);
}

static void TestReadEndsWhereAnEntryDoesNotFit(void) {
  sstable_reader* const reader = OpenTable();
  sstable_iterator* const iterator = sstable_iterator_create(reader);
  sstable_iterator_seek_to_first(iterator);
  EXPECT(Read(iterator, 0, kCount, 5 * kKeySize, sizeof(values)) == 5);
  EXPECT(Read(iterator, 0, kCount, sizeof(keys), 5 + 6 + 7) == 3);
  EXPECT(IsEntry(2, 7));
  EXPECT(Read(iterator, 0, kCount, kKeySize - 1, sizeof(values)) == 0);
  EXPECT(Read(iterator, 0, kCount, sizeof(keys), 7) == 0);
  EXPECT(sstable_iterator_valid(iterator));
  size_t size;
  EXPECT(sstable_iterator_value(iterator, &size) != NULL && size == 8);
  EXPECT(Read(iterator, 0, kCount, kKeySize, 8) == 1);

  sstable_column no_offsets = {keys, 1, NULL, SSTABLE_COLUMN_BYTES, 0};
  sstable_column no_data = {NULL, 1, key_offsets, SSTABLE_COLUMN_BYTES, 0};
  sstable_column no_format = {keys, 1, key_offsets, 2, 0};
  size_t count;
  EXPECT_ERROR(sstable_iterator_read(iterator, 0, 1, &no_offsets, NULL, &count, &message),
               SSTABLE_INVALID_ARGUMENT, "offsets is NULL");
  EXPECT_ERROR(sstable_iterator_read(iterator, 0, 1, NULL, &no_data, &count, &message),
               SSTABLE_INVALID_ARGUMENT, "data is NULL");
  EXPECT_ERROR(sstable_iterator_read(iterator, 0, 1, NULL, &no_format, &count, &message),
               SSTABLE_INVALID_ARGUMENT, "format is 2, expected 0 to 1");
  EXPECT_ERROR(sstable_iterator_read(NULL, 0, 1, NULL, NULL, &count, &message),
               SSTABLE_INVALID_ARGUMENT, "iterator is NULL");
  sstable_iterator_destroy(iterator);
  sstable_reader_destroy(reader);
}

static void TestReadReportsDamageAfterTheEntriesBeforeIt(void) {
  sstable_reader* const reader = Open(NULL, TABLES "damaged-data-block.ldb");
  sstable_iterator* const iterator = sstable_iterator_create(reader);
  sstable_iterator_seek_to_first(iterator);
  EXPECT(Read(iterator, 0, kCount, sizeof(keys), sizeof(values)) > 0);
  size_t count = 77;
  EXPECT_ERROR(sstable_iterator_read(iterator, 0, kCount, NULL, NULL, &count, &message),
               SSTABLE_DATA_LOSS, "data block at offset 2049");
  EXPECT(count == 0);
  sstable_iterator_destroy(iterator);

  sstable_problems* problems;
  uint64_t entries, total, offset;
  int is_damage = 0;
  EXPECT_OK(sstable_reader_find_problems(reader, 10, &problems, &entries, &message));
  EXPECT(sstable_problems_count(problems, &total) == 1 && total == 1);
  EXPECT(strstr(sstable_problems_text(problems, 0, &offset, &is_damage), "crc32c") != NULL);
  EXPECT(offset == 2049 && is_damage == 1 && entries > 0);
  sstable_problems_destroy(problems);
  EXPECT_ERROR(sstable_reader_find_problems(NULL, 10, &problems, &entries, &message),
               SSTABLE_INVALID_ARGUMENT, "reader is NULL");
  EXPECT(problems == NULL);
  sstable_reader_destroy(reader);
}

typedef struct {
  const char* lower;  // NULL for none
  int lower_inclusive;
  const char* upper;
  int upper_inclusive;
  int first, last;  // the numbers of the keys to visit; none if last < first
} BoundsCase;

static void TestBoundsRestrictBothDirections(void) {
  static const BoundsCase cases[] = {
      {"k00010", 1, "k00020", 0, 10, 19},
      {"k00010", 0, "k00020", 1, 11, 20},
      {NULL, 0, "k00003", 0, 0, 2},
      {"k00997", 1, NULL, 0, 997, 999},
      {"", 0, "z", 1, 0, 999},
      {"k00010x", 1, "k00012x", 0, 11, 12},
      {"k00020", 1, "k00010", 1, 20, 19},
      {"k00010", 0, "k00010", 1, 10, 9},
      {"k00010", 1, "k00010", 1, 10, 10},
      {"z", 1, NULL, 0, 999, 998},
      {NULL, 0, "a", 1, 0, -1},
  };
  sstable_reader* const reader = OpenTable();
  for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); ++c) {
    const BoundsCase* const bounds = &cases[c];
    sstable_iterator* const iterator = sstable_iterator_create(reader);
    if (bounds->lower != NULL) {
      EXPECT_OK(sstable_iterator_set_lower(iterator, bounds->lower, strlen(bounds->lower),
                                           bounds->lower_inclusive, &message));
    }
    if (bounds->upper != NULL) {
      EXPECT_OK(sstable_iterator_set_upper(iterator, bounds->upper, strlen(bounds->upper),
                                           bounds->upper_inclusive, &message));
    }
    for (int reverse = 0; reverse < 2; ++reverse) {
      reverse ? sstable_iterator_seek_to_last(iterator) : sstable_iterator_seek_to_first(iterator);
      const size_t expected = bounds->last - bounds->first + 1;
      EXPECT(Read(iterator, reverse, kCount, sizeof(keys), sizeof(values)) == expected);
      for (size_t i = 0; i < expected; ++i) {
        EXPECT(IsEntry(i, reverse ? bounds->last - (int)i : bounds->first + (int)i));
      }
    }
    sstable_iterator_seek(iterator, "k00000", kKeySize);  // stops at the lower bound
    EXPECT(sstable_iterator_valid(iterator) == (bounds->last >= bounds->first));
    sstable_iterator_destroy(iterator);
  }

  sstable_iterator* const iterator = sstable_iterator_create(reader);
  EXPECT_OK(sstable_iterator_set_lower(iterator, "k00500", kKeySize, 1, &message));
  EXPECT_OK(sstable_iterator_set_prefix(iterator, "k0012", 5, &message));  // replaces the bounds
  sstable_iterator_seek_to_first(iterator);
  EXPECT(Read(iterator, 0, kCount, sizeof(keys), sizeof(values)) == 10 && IsEntry(0, 120));
  EXPECT_ERROR(sstable_iterator_set_upper(iterator, NULL, 1, 0, &message), SSTABLE_INVALID_ARGUMENT,
               "key is NULL");
  EXPECT_ERROR(sstable_iterator_set_lower(NULL, "", 0, 0, &message), SSTABLE_INVALID_ARGUMENT,
               "iterator is NULL");
  sstable_iterator_destroy(iterator);
  sstable_reader_destroy(reader);
}

static void TestGetManyFindsWhatIsThere(void) {
  sstable_reader* const reader = OpenTable();
  ExpectFound(reader, (Bytes)BYTES("k00002"), (Bytes)BYTES("vv"));  // like a single Get
  const size_t sizes[] = {6, 0, 6, 3};
  unsigned char presences[4];
  sstable_column found = {values, 1, value_offsets, SSTABLE_COLUMN_BYTES, 0};
  EXPECT_OK(sstable_reader_get_many(reader, 4, "k00003k00041k00", sizes, SSTABLE_MAX_SEQUENCE,
                                    presences, &found, &message));
  const unsigned char expected[] = {SSTABLE_FOUND, SSTABLE_ABSENT, SSTABLE_FOUND, SSTABLE_ABSENT};
  EXPECT(memcmp(presences, expected, 4) == 0);
  const uint64_t expected_offsets[] = {0, 3, 3, 43, 43};
  EXPECT(memcmp(value_offsets, expected_offsets, sizeof(expected_offsets)) == 0);
  EXPECT(found.size == 43 && memcmp(found.data, "vvvv", 4) == 0);
  sstable_free(found.data);

  found = (sstable_column){NULL, 0, NULL, SSTABLE_COLUMN_PICKLE, 0};
  EXPECT_OK(sstable_reader_get_many(reader, 2, "k00003k", sizes, 0, NULL, &found, &message));
  EXPECT(found.size == 11 && memcmp(found.data, "\x80\4(C\3vvvNt.", 11) == 0);
  sstable_free(found.data);
  EXPECT_OK(sstable_reader_get_many(reader, 0, NULL, NULL, 0, NULL, &found, &message));
  EXPECT(found.size == 5 && memcmp(found.data, "\x80\4(t.", 5) == 0);
  sstable_free(found.data);

  EXPECT_ERROR(sstable_reader_get_many(reader, 1, NULL, sizes, 0, NULL, &found, &message),
               SSTABLE_INVALID_ARGUMENT, "keys is NULL");
  EXPECT(found.data == NULL);
  EXPECT_ERROR(sstable_reader_get_many(reader, 1, "k", NULL, 0, NULL, &found, &message),
               SSTABLE_INVALID_ARGUMENT, "key_sizes is NULL");
  EXPECT_ERROR(sstable_reader_get_many(reader, 1, "k", sizes, 0, NULL, NULL, &message),
               SSTABLE_INVALID_ARGUMENT, "values is NULL");
  sstable_reader_destroy(reader);
}

static void TestFiltersAreMeasured(void) {
  sstable_builder_options* options = sstable_builder_options_create();
  sstable_builder_options_set_bloom_rate(options, 0.01);
  sstable_builder_options_set_table_filter(options, SSTABLE_FUSE8, 0);
  sstable_builder_options_set_compression(options, SSTABLE_ZSTD);
  sstable_builder_options_set_compression_level(options, 5);
  sstable_builder_options_set_compression_threads(options, 2);
  sstable_builder_options_set_sync(options, 0);
  BuildTable(options);
  sstable_reader* reader = Open(NULL, path);
  EXPECT(sstable_reader_key_kind(reader) == SSTABLE_PLAIN_KEYS);
  sstable_filter_facts facts;
  EXPECT_OK(sstable_reader_measure_filter(reader, &facts, sizeof(facts), &message));
  EXPECT(facts.keys_tested == kCount && facts.false_negatives == 0 && facts.random_tested > 0);
  EXPECT(facts.window_count > 0 && facts.bits_set < facts.bit_count);
  EXPECT(facts.expected_rate > 0.005 && facts.expected_rate < 0.02);
  uint64_t window_count = 0;  // as from a caller that knows only the first field
  EXPECT_OK(sstable_reader_measure_filter(reader, (sstable_filter_facts*)&window_count,
                                          sizeof(window_count), &message));
  EXPECT(window_count == facts.window_count);
  sstable_reader_destroy(reader);

  reader = OpenTable();  // replaces the table
  EXPECT_ERROR(sstable_reader_measure_filter(reader, &facts, sizeof(facts), &message),
               SSTABLE_NOT_FOUND, "filter");
  sstable_reader_destroy(reader);

  sstable_builder* builder;
  options = sstable_builder_options_create();
  sstable_builder_options_set_bloom_rate(options, 0.9);
  EXPECT_ERROR(sstable_builder_create(options, path, &builder, &message), SSTABLE_INVALID_ARGUMENT,
               "bloom rate is 0.9, expected 0.0001 to 0.5");
  sstable_builder_options_set_bloom_rate(options, 0);
  sstable_builder_options_set_table_filter(options, 5, 10);
  EXPECT_ERROR(sstable_builder_create(options, path, &builder, &message), SSTABLE_INVALID_ARGUMENT,
               "table filter is 5, expected 0 to 3");
  sstable_builder_options_set_table_filter(options, SSTABLE_BLOCKED_BLOOM, 0);
  EXPECT_ERROR(sstable_builder_create(options, path, &builder, &message), SSTABLE_INVALID_ARGUMENT,
               "is 0, expected 1 to 100");
  sstable_builder_options_destroy(options);
}

static size_t CountOf(sstable_iterator* iterator) {
  size_t count = 0;
  for (sstable_iterator_seek_to_first(iterator); sstable_iterator_valid(iterator);
       sstable_iterator_next(iterator)) {
    ++count;
  }
  EXPECT_OK(sstable_iterator_status(iterator, &message));
  sstable_iterator_destroy(iterator);
  return count;
}

static void TestKindIsGuessedAndSnapshotsAreIterated(void) {
  sstable_reader_options* const options = sstable_reader_options_create();
  sstable_reader_options_set_key_kind(options, SSTABLE_GUESS_KEYS);
  sstable_reader* reader = Open(options, TABLES "leveldb-1.23-elements.ldb");
  EXPECT(sstable_reader_key_kind(reader) == SSTABLE_PLAIN_KEYS);
  sstable_iterator* iterator;
  EXPECT_ERROR(sstable_iterator_create_live(reader, 1, &iterator, &message),
               SSTABLE_FAILED_PRECONDITION, "a snapshot needs internal keys");
  EXPECT(iterator == NULL);
  sstable_reader_destroy(reader);
  reader = Open(options, TABLES "damaged-index-block.ldb");  // reveals nothing
  EXPECT(sstable_reader_key_kind(reader) == SSTABLE_PLAIN_KEYS);
  sstable_reader_destroy(reader);

  reader = Open(options, TABLES "leveldb-1.23-database.ldb");
  sstable_reader_options_destroy(options);
  EXPECT(sstable_reader_key_kind(reader) == SSTABLE_INTERNAL_KEYS);
  EXPECT_OK(sstable_iterator_create_live(reader, SSTABLE_MAX_SEQUENCE, &iterator, &message));
  EXPECT(CountOf(iterator) == 118);
  EXPECT_OK(sstable_iterator_create_live(reader, 0, &iterator, &message));
  EXPECT(CountOf(iterator) == 0);
  EXPECT(CountOf(sstable_iterator_create(reader)) == 335);
  EXPECT_OK(sstable_iterator_create_live(reader, SSTABLE_MAX_SEQUENCE, &iterator, &message));
  EXPECT_OK(sstable_iterator_set_prefix(iterator, "g", 1, &message));
  const size_t with_prefix = CountOf(iterator);
  EXPECT(with_prefix > 0 && with_prefix < 118);
  EXPECT_ERROR(sstable_iterator_create_live(reader, SSTABLE_MAX_SEQUENCE + 1, &iterator, &message),
               SSTABLE_INVALID_ARGUMENT, "snapshot is 72057594037927936");
  sstable_reader_destroy(reader);
}

static struct ArrowArrayStream* ToArrow(sstable_reader* reader, size_t max_count) {
  struct ArrowArrayStream* stream;
  EXPECT_OK(
      sstable_iterator_to_arrow(sstable_iterator_create(reader), max_count, &stream, &message));
  sstable_reader_destroy(reader);
  return stream;
}

static void TestEntriesAreAStreamOfArrow(void) {
  struct ArrowArrayStream* stream = ToArrow(OpenTable(), 300);
  struct ArrowSchema schema;
  EXPECT(stream->get_schema(stream, &schema) == 0);
  EXPECT(strcmp(schema.format, "+s") == 0 && schema.n_children == 2);
  EXPECT(strcmp(schema.children[0]->name, "key") == 0);
  EXPECT(strcmp(schema.children[1]->format, "Z") == 0);
  schema.release(&schema);
  EXPECT(schema.release == NULL);

  struct ArrowArray array, taken;
  for (int first = 0; first < kCount; first += 300) {
    EXPECT(stream->get_next(stream, &array) == 0);
    EXPECT(array.length == (kCount - first < 300 ? kCount - first : 300));
    const int64_t count = array.length;
    taken = *array.children[0];  // a consumer may move one column out
    array.children[0]->release = NULL;
    const struct ArrowArray* const column = array.children[1];
    EXPECT(column->length == count && column->null_count == 0 && column->n_buffers == 3);
    memcpy(key_offsets, taken.buffers[1], (count + 1) * sizeof(uint64_t));
    memcpy(keys, taken.buffers[2], key_offsets[count]);
    memcpy(value_offsets, column->buffers[1], (count + 1) * sizeof(uint64_t));
    memcpy(values, column->buffers[2], value_offsets[count]);
    array.release(&array);
    taken.release(&taken);
    EXPECT(array.release == NULL && taken.release == NULL);
    for (int64_t i = 0; i < count; ++i) EXPECT(IsEntry(i, first + (int)i));
  }
  EXPECT(stream->get_next(stream, &array) == 0 && array.release == NULL);  // end of the stream
  EXPECT(stream->get_last_error(stream) == NULL);
  stream->release(stream);
  EXPECT(stream->release == NULL);
  sstable_free(stream);

  // Entries before the damage are returned first.
  stream = ToArrow(Open(NULL, TABLES "damaged-data-block.ldb"), 1000);
  EXPECT(stream->get_next(stream, &array) == 0 && array.length > 0);
  array.release(&array);
  EXPECT(stream->get_next(stream, &array) != 0 && array.release == NULL);
  EXPECT(strstr(stream->get_last_error(stream), "crc32c stored") != NULL);
  stream->release(stream);
  sstable_free(stream);

  sstable_reader* reader = OpenTable();
  sstable_iterator* iterator = sstable_iterator_create(reader);
  EXPECT_ERROR(sstable_iterator_to_arrow(iterator, 0, &stream, &message), SSTABLE_INVALID_ARGUMENT,
               "max_count is 0");
  EXPECT(stream == NULL);
  EXPECT_ERROR(sstable_iterator_to_arrow(NULL, 1, &stream, &message), SSTABLE_INVALID_ARGUMENT,
               "iterator is NULL");
  sstable_iterator_destroy(iterator);
  sstable_reader_destroy(reader);
}

int main(void) {
  static void (*const tests[])(void) = {
      TestReadCopiesEntriesInBothDirections,
      TestReadEndsWhereAnEntryDoesNotFit,
      TestReadReportsDamageAfterTheEntriesBeforeIt,
      TestBoundsRestrictBothDirections,
      TestGetManyFindsWhatIsThere,
      TestFiltersAreMeasured,
      TestKindIsGuessedAndSnapshotsAreIterated,
      TestEntriesAreAStreamOfArrow,
  };
  return RunTests(tests, sizeof(tests) / sizeof(tests[0]));
}
