// Rows of metadata in Chromium's IndexedDB.
#ifndef SSTABLE_DECODE_INDEXED_DB_METADATA_H_
#define SSTABLE_DECODE_INDEXED_DB_METADATA_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "decode/value_tree.h"
#include "keys/indexed_db_key.h"

namespace sstable {

// What the key of a row of metadata has after its ids. Borrows the key.
struct IndexedDbMetadataKey {
  uint64_t database = 0;  // 0: the row is of all databases
  uint64_t type = 0;
  std::vector<uint64_t> numbers;  // ids; for object stores and indexes also the type of the row
  std::vector<absl::string_view> texts;
  absl::string_view rest;

  bool is_store() const { return database != 0 && type == 50; }
  bool is_index() const { return database != 0 && type == 100; }
  // What it is, for people; null: unknown.
  const char* Kind() const;
};

// `reader` has given the three ids of a key that is complete.
IndexedDbMetadataKey ReadIndexedDbMetadataKey(uint64_t database, IndexedDbKeyReader* reader);

// Adds the value of a row whose kind is known. Returns false if it does not have the row's form.
bool DecodeIndexedDbMetadata(const IndexedDbMetadataKey& key, absl::string_view value,
                             ValueTree* tree);

// Parses a number of up to 8 bytes, little-endian: Chromium omits the highest bytes if they are 0.
std::optional<uint64_t> ParseIndexedDbInt(absl::string_view value);

}  // namespace sstable

#endif  // SSTABLE_DECODE_INDEXED_DB_METADATA_H_
