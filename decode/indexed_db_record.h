// A record of Chromium's IndexedDB that Chromium has compressed.
//
// Value:  version (varint) | FF 11 02 | a Snappy block, to the end
// In other records, the version is followed by the serialized script value, which the block
// contains.
#ifndef SSTABLE_DECODE_INDEXED_DB_RECORD_H_
#define SSTABLE_DECODE_INDEXED_DB_RECORD_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sstable {

// Returns the script value, if `key` is a record's and `value` has this form. Errors: NotFound if
// not; DataLoss if the block is malformed or exceeds 64 MiB, which Chromium never writes.
absl::StatusOr<std::string> UncompressIndexedDbRecord(absl::string_view key,
                                                      absl::string_view value);

}  // namespace sstable

#endif  // SSTABLE_DECODE_INDEXED_DB_RECORD_H_
