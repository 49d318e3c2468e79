// Assertions for the C API's tests, in C.
#ifndef SSTABLE_TESTS_C_C_EXPECT_H_
#define SSTABLE_TESTS_C_C_EXPECT_H_

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sstable/c.h"

static int failures = 0;
static char path[4096];  // path of a table that tests may write

static void Expect(int holds, const char* what, const char* file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: expected: %s\n", file, line, what);
  ++failures;
}
#define EXPECT(condition) Expect((condition), #condition, __FILE__, __LINE__)

// Expects success without a message, or failure with this code and a message that contains `text`.
static void ExpectResult(sstable_code code, sstable_code expected, char* message, const char* text,
                         const char* file, int line) {
  const int as_expected = code == expected && (message == NULL) == (code == SSTABLE_OK) &&
                          (message == NULL || strstr(message, text) != NULL);
  if (!as_expected) {
    fprintf(stderr, "%s:%d: code %d (%s), expected %d (%s)\n", file, line, code,
            message == NULL ? "no message" : message, expected, text);
    ++failures;
  }
  sstable_free(message);
}
// `call` must set `message`. Otherwise it stays `path`, and the test fails.
#define EXPECT_OK(call)                                                         \
  do {                                                                          \
    char* message = path;                                                       \
    const sstable_code code = call;                                             \
    ExpectResult(code, SSTABLE_OK, message, "all is well", __FILE__, __LINE__); \
  } while (0)
// `call` must set `message`.
#define EXPECT_ERROR(call, expected, text)                           \
  do {                                                               \
    char* message = path;                                            \
    const sstable_code code = call;                                  \
    ExpectResult(code, expected, message, text, __FILE__, __LINE__); \
  } while (0)

typedef struct {
  const char* bytes;
  size_t size;
} Bytes;
#define BYTES(literal) \
  { literal, sizeof(literal) - 1 }

static int Same(Bytes a, const char* bytes, size_t size) {
  return bytes != NULL && a.size == size && (size == 0 || memcmp(a.bytes, bytes, size) == 0);
}

// Runs all tests, each without a file at `path`. Returns the result for main().
static int RunTests(void (*const tests[])(void), size_t count) {
  snprintf(path, sizeof(path), "%s/table.ldb", getenv("TEST_TMPDIR"));
  for (size_t i = 0; i < count; ++i) {
    unlink(path);
    tests[i]();
  }
  return failures == 0 ? 0 : 1;
}

static inline sstable_reader* Open(const sstable_reader_options* options, const char* table) {
  sstable_reader* reader;
  EXPECT_OK(sstable_reader_open(options, table, &reader, &message));
  return reader;
}

static inline void ExpectFound(const sstable_reader* reader, Bytes key, Bytes expected) {
  int presence;
  char* value;
  size_t size;
  EXPECT_OK(sstable_reader_get(reader, key.bytes, key.size, &presence, &value, &size, &message));
  EXPECT(presence == SSTABLE_FOUND);
  EXPECT(Same(expected, value, size));
  sstable_free(value);
}

#endif  // SSTABLE_TESTS_C_C_EXPECT_H_
