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

// The part of a metadata row's key that follows its ids. Borrows the key.
struct IndexedDbMetadataKey {
  uint64_t database = 0;  // 0: the row concerns all databases
  uint64_t type = 0;
  std::vector<uint64_t> numbers;  // ids, then, for object stores and indexes, the type of the row
  std::vector<absl::string_view> texts;
  absl::string_view rest;

  bool is_store() const { return database != 0 && type == 50; }
  bool is_index() const { return database != 0 && type == 100; }
  // The kind of row, for people; null if unknown.
  const char* Kind() const;
};

// Reads the rest of a complete key, after `reader` has returned its three ids.
IndexedDbMetadataKey ReadIndexedDbMetadataKey(uint64_t database, IndexedDbKeyReader* reader);

// Adds the value of a row of a known kind. Returns false if the value does not have the form of
// that kind.
bool DecodeIndexedDbMetadata(const IndexedDbMetadataKey& key, absl::string_view value,
                             ValueTree* tree);

// Parses a little-endian number of up to 8 bytes. Chromium omits the highest bytes if they are 0.
std::optional<uint64_t> ParseIndexedDbInt(absl::string_view value);

}  // namespace sstable

#endif  // SSTABLE_DECODE_INDEXED_DB_METADATA_H_
