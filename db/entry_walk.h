// Iterates over the entries of a database, with the file and offset of each.
#ifndef SSTABLE_DB_ENTRY_WALK_H_
#define SSTABLE_DB_ENTRY_WALK_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "table/table_walk.h"

namespace sstable {

// Iterates over internal keys, all of which are valid.
class EntryWalk : public TableWalk {
 public:
  // Where the current entry is stored: the file's name in the folder, and the offset in it of the
  // table's data block or the log's record. `file` is valid as long as the view.
  struct Place {
    absl::string_view file;
    uint64_t offset = 0;
  };
  virtual Place place() const = 0;  // requires Valid()
};

}  // namespace sstable

#endif  // SSTABLE_DB_ENTRY_WALK_H_
