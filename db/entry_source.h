// Entries of a database, and where each of them stands.
#ifndef SSTABLE_DB_ENTRY_SOURCE_H_
#define SSTABLE_DB_ENTRY_SOURCE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "table/table_walk.h"

namespace sstable {

// Over internal keys, all of which can be parsed.
class EntrySource : public TableWalk {
 public:
  // Where the current entry is: the file's name in the folder, and the offset of a table's data
  // block or of a log's record. The name lives as long as the view.
  struct Place {
    absl::string_view file;
    uint64_t offset = 0;
  };
  virtual Place place() const = 0;  // only while Valid()
};

}  // namespace sstable

#endif  // SSTABLE_DB_ENTRY_SOURCE_H_
