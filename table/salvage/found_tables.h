// Tables for which a file has an index or a footer: the file's own, and those that were values.
//
// Handles count from the start of their own table. So if the handles of an index fit blocks of the
// file only with an offset added, its table starts elsewhere: it is a value if it starts later than
// the file, or it gained or lost bytes.
#ifndef SSTABLE_TABLE_SALVAGE_FOUND_TABLES_H_
#define SSTABLE_TABLE_SALVAGE_FOUND_TABLES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/format.h"
#include "table/salvage/block_chain.h"
#include "table/salvage/carved_file.h"
#include "table/salvage/scanned_file.h"

namespace sstable {

struct FoundTable {
  const CarvedBlock* index = nullptr;  // null if it is damaged
  // The file offset from which its handles count; negative if bytes before it are missing.
  int64_t base = 0;
  bool base_known = false;      // from its footer or its blocks; otherwise `base` is 0
  bool is_index_moved = false;  // its blocks are after it, which never happens in a value
  std::optional<Footer> footer;
  uint64_t end = 0;  // end of the footer or else of the index block
};

// Sorted by their ends. Borrows `carved`.
std::vector<FoundTable> FindTables(const ScannedFile& file, const CarvedFile& carved,
                                   const Comparator* comparator);

struct OwnTable {
  const FoundTable* table = nullptr;  // null if there is none
  bool certain = false;  // false: nothing contradicts it, but it may also have been a value
};

// Returns the table whose footer ends the file, if it starts at or before the start of the file:
// the file's own, even if its index is damaged. A damaged footer is recognized by the index right
// before it. Null if there is none.
const FoundTable* FindLastTable(const std::vector<FoundTable>& tables, uint64_t file_size);

// Chooses which of `tables` is the file's own: the one that FindLastTable() returns, or one with
// the same start; else the last one that names blocks of the file's own chain.
OwnTable ChooseOwnTable(const std::vector<FoundTable>& tables, const FoundTable* last,
                        absl::string_view file, const CarvedFile& carved, const BlockChain& chain,
                        const Comparator* comparator);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_FOUND_TABLES_H_
