// A copy of a table with other filters, so that a table can get a filter without being built anew.
//
// Format: the data blocks stay where they are, byte for byte. After them come the meta blocks that
//         stay, as they are stored, and the new filters, in order of name; a new metaindex block;
//         the index block, as it is stored; the footer.
#ifndef SSTABLE_TABLE_INSPECT_FILTER_REWRITER_H_
#define SSTABLE_TABLE_INSPECT_FILTER_REWRITER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "sstable/file.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/key_guess.h"
#include "sstable/table_reader.h"

namespace sstable {

// The filters of the copy. Borrows the policies.
struct NewFilters {
  // nullopt: those of the table stay; null: there are none.
  std::optional<const FilterPolicy*> filter_policy;             // of filter blocks
  std::optional<const TableFilterPolicy*> table_filter_policy;  // of filters for the whole table
  // As in TableBuilderOptions, of a new filter.
  std::optional<PrefixExtractor> table_filter_prefixes = std::nullopt;

  int filter_base_lg = kDefaultFilterBaseLg;  // as TableBuilderOptions::filter_base_lg
};

struct RewrittenTable {
  uint64_t data_size = 0;  // bytes at the start of both files, which are the same
  uint64_t file_size = 0;
  uint64_t key_count = 0;              // in the new filters; 0 if there are none
  std::vector<MetaBlock> meta_blocks;  // of the copy
};

// Writes the copy to `file`, syncs and closes it. Memory: that of the filters while they are built,
// the index, and 1 MiB.
//
// Data blocks are uncompressed only if there is a new filter or one that stays. Other meta blocks
// than filters are copied: their contents must not depend on where they are, as those of RocksDB's
// partitioned filters do, which are refused unless they are replaced.
//
// Errors: InvalidArgument for an InternalFilterPolicy. DataLoss, with the place, for a wrong
// checksum, and for whatever makes it doubtful that the index names all data blocks. With a filter
// also for a block whose entries can't all be read or that `keys`, what is known of them, show to
// be in another one's place. So no key is left out of a filter. Also for a filter that stays, if
// its policy is known and the reader's options use filters: if it is malformed or has a false
// negative. Unimplemented for a codec that can't be read. Those of `file`, which is then not
// closed.
absl::StatusOr<RewrittenTable> RewriteFilters(const TableReader& reader, KeysKnown keys,
                                              const NewFilters& filters,
                                              std::unique_ptr<WritableFile> file);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_FILTER_REWRITER_H_
