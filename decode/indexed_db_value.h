// The envelope of a script value (decode/v8_value.h) in Chromium's IndexedDB, and its external
// objects.
//
// Record:            version (varint) | script value
//   compressed:      version | FF 11 02 | a Snappy block with the script value
//   in a blob:       version | FF 11 01 | size (varint) | index of the external object (varint)
// External objects:  kind (1: 0 blob, 1 file, 2 handle), then
//   of a blob:       number (varint) | MIME type | size (varint)
//   of a file:       the same | name | microseconds since 1601 (varint)
//   of a handle:     size (varint) | a Protocol Buffers message
// A type or name is its number of UTF-16 units (varint), then the units, big-endian.
#ifndef SSTABLE_DECODE_INDEXED_DB_VALUE_H_
#define SSTABLE_DECODE_INDEXED_DB_VALUE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "decode/value_tree.h"

namespace sstable {

// Borrows the bytes that it was parsed from.
struct ExternalObject {
  enum class Kind : uint8_t { kBlob, kFile, kHandle };

  Kind kind = Kind::kBlob;
  uint64_t number = 0;
  uint64_t size = 0;
  uint64_t modified = 0;   // microseconds since 1601
  absl::string_view type;  // type and name: UTF-16, big-endian
  absl::string_view name;
  absl::string_view handle;  // a message

  // Adds the object's properties to `fields`. `database` is the database's id.
  void AddTo(uint64_t database, ObjectBuilder* fields) const;
  // Path of a blob or file in the folder of blobs.
  std::string Path(uint64_t database) const;
};

// Returns nullopt if the bytes are malformed or have more than 10,000 objects.
std::optional<std::vector<ExternalObject>> ParseExternalObjects(absl::string_view bytes);

// Returns the script value of a compressed record, whose version has been removed. Errors: NotFound
// if it is not compressed; DataLoss if the block is malformed or exceeds 6 MiB.
absl::StatusOr<std::string> UncompressScriptValue(absl::string_view value);

// Like UncompressScriptValue(), for a row of any kind. NotFound also means that `key` is not the
// key of a record.
absl::StatusOr<std::string> UncompressIndexedDbRecord(absl::string_view key,
                                                      absl::string_view value);

// Reads a blob of the database in `folder`, whose name ends in ".leveldb". The blobs are in the
// folder beside it. `size` is the size that the record gives.
absl::StatusOr<std::string> ReadBlob(absl::string_view folder, absl::string_view path,
                                     uint64_t size);

}  // namespace sstable

#endif  // SSTABLE_DECODE_INDEXED_DB_VALUE_H_
