// A table of the new folder, before its final level is known.
#ifndef SSTABLE_DB_SALVAGE_NEW_TABLE_H_
#define SSTABLE_DB_SALVAGE_NEW_TABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/table_reader.h"

namespace sstable {

struct NewTable {
  std::string name;  // in the new folder
  uint64_t number = 0;
  uint64_t size = 0;              // bytes of the file
  std::string smallest, largest;  // internal keys
  std::optional<int> level;       // from the MANIFEST; nullopt: not known

  // SourceFile::is_unnamed. Such a table is left out if other tables have all of its entries.
  bool is_unnamed = false;
  uint64_t added_number = 0;  // the old file's number if a lost edit may have added it, else 0

  // Set by CompareTables().
  uint64_t entry_count = 0;
  uint64_t deletion_count = 0;
  uint64_t live_key_count = 0;  // keys whose newest version is a value in this table
  uint64_t last_sequence = 0;
  bool has_own_entries = false;  // entries that no named table has
};

// Opens a table of internal keys. Maps it, which is safe since no other program uses the new
// folder; so any number of tables can be open.
absl::StatusOr<std::unique_ptr<TableReader>> OpenNewTable(absl::string_view folder,
                                                          const NewTable& table,
                                                          const Comparator* comparator);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_NEW_TABLE_H_
