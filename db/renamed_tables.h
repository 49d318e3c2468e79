// Finds tables of a MANIFEST whose files were renamed: 000007.bak, "000007 (1).ldb",
// sst_2/000007.sst.
#ifndef SSTABLE_DB_RENAMED_TABLES_H_
#define SSTABLE_DB_RENAMED_TABLES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/database_files.h"

namespace sstable {

// Lists the files in the sub-folders sst_0 to sst_6 of `folder`, one for each level, where Riak's
// LevelDB keeps its tables. Their names include the sub-folder.
std::vector<DatabaseFile> ListLevelFolders(const std::string& folder);

// Returns the number at the start of a file's name, after any sub-folder: 7 for "000007 (1).ldb".
std::optional<uint64_t> LeadingNumber(absl::string_view name);

// Returns the first and last internal key of a table.
absl::StatusOr<std::pair<std::string, std::string>> ReadKeyRange(
    const std::string& path, std::optional<uint64_t> max_block_size);

// Returns the files that hold tables of `missing`, by table number. A candidate has a missing
// table's number in its name, or its size, and is opened at most once. It is the table if its first
// and last key are those in the MANIFEST. Files named like a table in `dropped` are no candidates:
// a table that was compacted into the missing one may have the same size and these keys.
std::map<uint64_t, const DatabaseFile*> FindRenamedTables(
    absl::string_view folder, const std::vector<DatabaseFile>& files,
    const std::vector<const TableFile*>& missing, const std::set<uint64_t>& dropped,
    std::optional<uint64_t> max_block_size);

}  // namespace sstable

#endif  // SSTABLE_DB_RENAMED_TABLES_H_
