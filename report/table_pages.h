// Data about a table for the page of web/, besides the reports of `sst`: its blocks by the index
// alone, the windows of its filter, and its entries page by page.
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

// The kind and order of keys, the number of blocks, and the parts of the table that can't be read.
// Reads only the data blocks that show the kind of keys.
Json AboutJson(const OpenedTable& table);

// The positions of blocks, from index, metaindex and footer; reads none of the blocks. Neighbouring
// data blocks are combined so that there are at most `max_places`. Each is an array of offset, size
// (bytes, to the end of the last block) and number of blocks.
Json PlacesJson(const TableReader& reader, size_t max_places);

// The windows of a filter block with Bloom filters, with neighbours combined into at most
// `max_cells`. Each is an array of the first window's number, the number of windows, of empty and
// of malformed ones, their bits, and the number of set bits. Null without such a block.
Json FilterWindowsJson(const TableReader& reader, size_t max_cells);

// Selects and formats entries.
struct PageRequest {
  RecordFormat format = RecordFormat::kJsonl;
  bool with_offset = false;  // offset of its block, as RecordWriterOptions::offset
  std::string from;    // a user key: entries below it are left out if the table can be searched
  std::string wanted;  // only entries that contain these bytes in the user key or the value
  const EntryDecoder* decoder = nullptr;  // null: entries are not decoded. Borrowed
};

// Pattern:  for (;;) Next(), until done().
class EntryPages {
 public:
  EntryPages(const OpenedTable* table, PageRequest request);

  // Appends entries of whole blocks to `*out`, as `sst dump` writes them, until there are
  // `max_rows`, `max_bytes` or more, or until `max_blocks` were read. Damaged blocks are skipped.
  void Next(uint64_t max_rows, uint64_t max_bytes, uint64_t max_blocks, std::string* out);

  bool done() const { return next_block_ >= scan_.block_count(); }
  // About the last page: the number of rows; error messages for what could not be read; the next
  // block.
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
