// What `sst build --number` reports on a table for a database, and `sst manifest` reads: a JSON
// object on a line of its own, with number, comparator, entries, size, smallest and largest key (as
// SetInternalKey() writes them) and last_sequence. Without entries there is no table, and the line
// ends after "entries". If `sst build --split-size` continues with a table of the next number,
// there is "more": true.
#ifndef SSTABLE_TOOLS_BULK_BUILT_TABLE_H_
#define SSTABLE_TOOLS_BULK_BUILT_TABLE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "report/json.h"
#include "sstable/database_files.h"

namespace sstable::tools {

// The largest number that `sst build --number` accepts. Every JSON reader represents it exactly.
inline constexpr uint64_t kMaxTableNumber = uint64_t{1} << 53;

struct BuiltTable {
  TableFile file;
  std::string comparator;  // its name
  uint64_t entry_count = 0;
  uint64_t last_sequence = 0;  // highest sequence of the entries
  bool has_more = false;       // the next number is another table of the same sequence

  // Counts an entry. Entries must come in order.
  void Add(absl::string_view internal_key);
};

Json BuiltTableJson(const BuiltTable& table);

// Parses such a line. Errors: InvalidArgument, which says what is wrong.
absl::StatusOr<BuiltTable> ParseBuiltTable(absl::string_view line);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_BULK_BUILT_TABLE_H_
