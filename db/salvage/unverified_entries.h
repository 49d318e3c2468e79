// Recovers entries from blocks with a wrong checksum, as far as they can be decoded.
#ifndef SSTABLE_DB_SALVAGE_UNVERIFIED_ENTRIES_H_
#define SSTABLE_DB_SALVAGE_UNVERIFIED_ENTRIES_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "sstable/comparator.h"
#include "sstable/experimental/table_salvage.h"

namespace sstable {

// Writes a table with the probable contents of the lost blocks of `salvager`: entries that can be
// decoded, have internal keys, ascend, and lie between the index keys on either side of their
// block. Any of them may be wrong. Requires a readable index. Creates the folder of `path`; writes
// nothing if there are no entries. Returns the number of entries. Errors: write errors.
absl::StatusOr<uint64_t> WriteUnverifiedEntries(const std::string& source_path,
                                                const Salvager& salvager,
                                                const Comparator* comparator,
                                                const std::string& path);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_UNVERIFIED_ENTRIES_H_
