// A record of Chromium's IndexedDB that Chromium has compressed itself.
//
// Value:  version (varint) | FF 11 02 | a Snappy block, to the end
// Others have the serialized script value, which the block contains, after the version.
#ifndef SSTABLE_TOOLS_DECODE_INDEXED_DB_RECORD_H_
#define SSTABLE_TOOLS_DECODE_INDEXED_DB_RECORD_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sstable::tools {

// The script value, if `key` is a record's and `value` is of this form. Errors: NotFound if not;
// DataLoss if the block is malformed or has more than 64 MiB, of which Chromium makes none.
absl::StatusOr<std::string> UncompressIndexedDbRecord(absl::string_view key,
                                                      absl::string_view value);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DECODE_INDEXED_DB_RECORD_H_
