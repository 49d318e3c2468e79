// What the page of web/ shows of a table beside the reports of `sst`: its blocks by the index
// alone, the windows of its filter, and its entries page by page.
#ifndef SSTABLE_TOOLS_TABLE_PAGES_H_
#define SSTABLE_TOOLS_TABLE_PAGES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "table/inspect/guarded_scan.h"
#include "tools/input_table.h"
#include "tools/records/json.h"
#include "tools/records/record_writer.h"

namespace sstable::tools {

// Kind and order of keys, how many blocks there are, and what of the table can't be read. Reads no
// data block but those that show the kind of keys.
Json AboutJson(const InputTable& table);

// Where the blocks are, as index, metaindex and footer say; none of them is read. Neighbouring data
// blocks are taken together so that there are at most `max_places`: each is an array of offset,
// size (bytes, to the end of the last one) and number of blocks.
Json PlacesJson(const TableReader& reader, size_t max_places);

// The windows of a filter block of Bloom filters, at most `max_cells` after taking neighbours
// together: each is an array of the first window's number, how many they are, how many of them are
// empty and how many malformed, their bits, and how many of these are set. Null without one.
Json FilterWindowsJson(const TableReader& reader, size_t max_cells);

// Which entries, and how.
struct PageRequest {
  RecordFormat format = RecordFormat::kJsonl;
  bool with_offset = false;  // of its block, as RecordWriterOptions::offset
  std::string from;    // a user key: entries below it are left out if the table can be searched
  std::string wanted;  // bytes: only entries with them in the user key or the value
};

// Pattern:  for (;;) Next(), until done().
// Ownership: borrows the table.
class EntryPages {
 public:
  EntryPages(const InputTable* table, PageRequest request);

  // Appends entries to `*out` as `sst dump` writes them: of whole blocks, until there are
  // `max_rows`, `max_bytes` or more, or `max_blocks` are read. Damaged blocks are skipped.
  void Next(uint64_t max_rows, uint64_t max_bytes, uint64_t max_blocks, std::string* out);

  bool done() const { return next_block_ >= scan_.block_count(); }
  // The last page: how many rows; what could not be read, as messages; the next block.
  Json InfoJson() const;

 private:
  bool Matches(absl::string_view key, absl::string_view value) const;

  const InputTable& table_;
  const PageRequest request_;
  const RecordWriter writer_;
  std::vector<std::string> errors_;
  GuardedScan scan_;
  size_t next_block_ = 0;
  uint64_t rows_ = 0;
  bool is_first_ = true;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_TABLE_PAGES_H_
