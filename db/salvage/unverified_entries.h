// Entries of blocks with a wrong checksum, as far as they can be decoded.
#ifndef SSTABLE_DB_SALVAGE_UNVERIFIED_ENTRIES_H_
#define SSTABLE_DB_SALVAGE_UNVERIFIED_ENTRIES_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "sstable/comparator.h"
#include "sstable/salvage.h"

namespace sstable {

// Writes a table of what the lost blocks of `salvager` seem to have: entries that can be decoded,
// are internal keys, ascend, and are between the neighbouring blocks' keys. Any of them may be
// wrong. Needs an index that can be read. Creates the folder of `path`; writes nothing if there is
// no entry. Returns how many there are. Errors: those of writing.
absl::StatusOr<uint64_t> WriteUnverifiedEntries(const std::string& source_path,
                                                const Salvager& salvager,
                                                const Comparator* comparator,
                                                const std::string& path);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_UNVERIFIED_ENTRIES_H_
