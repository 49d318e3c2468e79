// The tables of which a file has an index or a footer: the file's own, and those that were values.
//
// Handles count from the start of their own table. So an index whose handles fit blocks of the file
// only with something added to each is of a table that starts elsewhere: a value, if it starts
// later than the file; or one that gained or lost bytes.
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
  // The file offset from which its handles count; below 0 if bytes before it are gone.
  int64_t base = 0;
  bool base_known = false;      // its footer or its blocks show it; else 0
  bool is_index_moved = false;  // its blocks are after it, as no value's are
  std::optional<Footer> footer;
  uint64_t end = 0;  // of the footer or else the index block
};

// In order of their ends. Borrows `carved`.
std::vector<FoundTable> FindTables(const ScannedFile& file, const CarvedFile& carved,
                                   const std::optional<const Comparator*>& comparator);

struct OwnTable {
  const FoundTable* table = nullptr;  // null if none is
  bool certain = false;  // else nothing contradicts it, but it may have been a value as well
};

// The table whose footer ends the file, if it starts where the file does or before: the file's own,
// even where the index is damaged. A damaged footer is known by the index right before it. Null if
// there is none.
const FoundTable* FindLastTable(const std::vector<FoundTable>& tables, uint64_t file_size);

// Which of `tables` is the file's own: that which FindLastTable() returns, or one that starts where
// it does; else the last one that names the blocks of the file's own chain.
OwnTable ChooseOwnTable(const std::vector<FoundTable>& tables, const FoundTable* last,
                        absl::string_view file, const CarvedFile& carved, const BlockChain& chain,
                        const std::optional<const Comparator*>& comparator);

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_FOUND_TABLES_H_
