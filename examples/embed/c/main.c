// Writes a table and reads it, through the C API. Usage: main PATH
#include <stdio.h>
#include <stdlib.h>

#include "sstable/c.h"

static char* message;

static void Check(sstable_code code) {
  if (code == SSTABLE_OK) return;
  fprintf(stderr, "error %d: %s\n", code, message);
  exit(1);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;

  sstable_builder_options* options = sstable_builder_options_create();
  sstable_builder_options_set_bloom_bits_per_key(options, 10);
  sstable_builder* builder;
  Check(sstable_builder_create(options, argv[1], &builder, &message));
  Check(sstable_builder_add(builder, "apple", 5, "red", 3, &message));  // in key order
  Check(sstable_builder_add(builder, "banana", 6, "yellow", 6, &message));
  Check(sstable_builder_finish(builder, &message));
  sstable_builder_destroy(builder);
  sstable_builder_options_destroy(options);

  sstable_reader* reader;
  Check(sstable_reader_open(NULL, argv[1], &reader, &message));
  int presence;
  char* value;
  size_t size;
  Check(sstable_reader_get(reader, "apple", 5, &presence, &value, &size, &message));
  if (presence == SSTABLE_FOUND) printf("apple is %.*s\n", (int)size, value);
  sstable_free(value);

  sstable_iterator* entry = sstable_iterator_create(reader);
  for (sstable_iterator_seek_to_first(entry); sstable_iterator_valid(entry);
       sstable_iterator_next(entry)) {
    const char* key = sstable_iterator_key(entry, &size);
    printf("%.*s\n", (int)size, key);
  }
  Check(sstable_iterator_status(entry, &message));
  sstable_iterator_destroy(entry);
  sstable_reader_destroy(reader);
  return 0;
}
