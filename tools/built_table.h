// What `sst build --number` reports of a table for a database, and `sst manifest` reads: a JSON
// object on a line of its own, with number, comparator, entries, size, smallest and largest key (as
// SetInternalKey() writes them) and last_sequence. Without entries there is no table; the last five
// are absent then. If `sst build --split-size` goes on with the table of the next number, there is
// "more": true.
#ifndef SSTABLE_TOOLS_BUILT_TABLE_H_
#define SSTABLE_TOOLS_BUILT_TABLE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/version_edit.h"
#include "tools/records/json.h"

namespace sstable::tools {

// The largest number that `sst build --number` takes. Every reader of JSON has it exactly.
inline constexpr uint64_t kMaxTableNumber = uint64_t{1} << 53;

struct BuiltTable {
  TableFile file;
  std::string comparator;  // its name
  uint64_t entry_count = 0;
  uint64_t last_sequence = 0;  // the highest of its entries
  bool has_more = false;       // the next number is another table of the same sequence

  // Counts an entry. They come in order.
  void Add(absl::string_view internal_key);
};

Json BuiltTableJson(const BuiltTable& table);

// The inverse. Errors: InvalidArgument, saying what is wrong with the line.
absl::StatusOr<BuiltTable> ParseBuiltTable(absl::string_view line);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_BUILT_TABLE_H_
