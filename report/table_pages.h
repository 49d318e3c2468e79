// Data about a table that the web page shows in addition to the reports of `sst`: the positions of
// blocks, the windows of the filter, and the entries page by page.
#ifndef SSTABLE_REPORT_TABLE_PAGES_H_
#define SSTABLE_REPORT_TABLE_PAGES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "decode/entry_decoder.h"
#include "report/json.h"
#include "report/record_writer.h"
#include "table/inspect/opened_table.h"
#include "table/inspect/verified_scan.h"

namespace sstable {

// Returns the kind and order of keys, the number of blocks, and the parts of the table that can't
// be read. Reads only as many data blocks as it takes to find the kind of keys.
Json AboutJson(const OpenedTable& table);

// Returns the positions of blocks according to the footer, the metaindex and the index; reads no
// other block. Combines neighbouring data blocks into at most `max_places` elements. Each element
// has an offset, a size (bytes, to the end of its last block) and a number of blocks.
Json PlacesJson(const TableReader& reader, size_t max_places);

// Returns the windows of a filter block with Bloom filters, combined into at most `max_cells`
// elements; null if there is no such block. Each element has the number of its first window, and
// counts of windows, empty windows, malformed windows, bits and set bits.
Json FilterWindowsJson(const TableReader& reader, size_t max_cells);

// Selects and formats entries.
struct PageRequest {
  RecordFormat format = RecordFormat::kJsonl;
  bool with_offset = false;  // as RecordWriterOptions::offset
  std::string from;          // user key; entries below it are left out if the table can be searched
  std::string wanted;  // if not empty, only entries with these bytes in the user key or the value
  const EntryDecoder* decoder = nullptr;  // borrowed; null: entries are not decoded
};

// Pattern: call Next() until done().
class EntryPages {
 public:
  EntryPages(const OpenedTable* table, PageRequest request);

  // Appends the entries of whole blocks to `*out`, as `sst dump` writes them, until there are at
  // least `max_rows` rows or `max_bytes` bytes, or `max_blocks` blocks were read. Skips damaged
  // blocks.
  void Next(uint64_t max_rows, uint64_t max_bytes, uint64_t max_blocks, std::string* out);

  bool done() const { return next_block_ >= scan_.block_count(); }
  // Describes the last page: its number of rows, error messages for what could not be read, and the
  // next block.
  Json InfoJson() const;

 private:
  bool Matches(absl::string_view key, absl::string_view value) const;

  const OpenedTable& table_;
  const PageRequest request_;
  const RecordWriter writer_;
  std::vector<std::string> errors_;
  VerifiedScan scan_;
  size_t next_block_ = 0;
  uint64_t rows_ = 0;
  bool is_first_ = true;
};

}  // namespace sstable

#endif  // SSTABLE_REPORT_TABLE_PAGES_H_
