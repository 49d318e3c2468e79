// Copies a table with other filters, so that a table can get a filter without being rebuilt.
#ifndef SSTABLE_TABLE_INSPECT_FILTER_REWRITER_H_
#define SSTABLE_TABLE_INSPECT_FILTER_REWRITER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "sstable/check.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/file.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/table_reader.h"

namespace sstable {

// The filters of the copy. Borrows the policies.
struct NewFilters {
  // Policies for the filter block and for the whole table's filter. nullopt: keep the table's
  // filter; null: have none.
  std::optional<const FilterPolicy*> filter_policy;
  std::optional<const TableFilterPolicy*> table_filter_policy;
  // For a new filter; see TableBuilderOptions.
  std::optional<PrefixExtractor> table_filter_prefixes = std::nullopt;

  int filter_base_lg = kDefaultFilterBaseLg;  // as TableBuilderOptions::filter_base_lg
};

struct RewrittenTable {
  uint64_t data_size = 0;  // how many bytes at the start of both files are the same
  uint64_t file_size = 0;
  uint64_t key_count = 0;              // in the new filters; 0 if there are none
  std::vector<MetaBlock> meta_blocks;  // the copy's meta blocks
};

// Writes the copy to `file`, syncs and closes it. Memory: the filters while they are built, the
// index, and 1 MiB.
//
// Data blocks are uncompressed only if there is a new filter or one that stays. Other meta blocks
// are copied, so their contents must not depend on their offsets. RocksDB's partitioned filters do:
// a table that has them is refused unless they are replaced.
//
// Errors: InvalidArgument for an InternalFilterPolicy. DataLoss, with block and offset, for a wrong
// checksum, and for anything that makes it doubtful that the index names all data blocks; with a
// filter, also for a block whose entries can't all be read, or that `keys` show to be in another
// block's place. So no key is missing from a filter. DataLoss also for a filter that stays and is
// malformed or has a false negative, if its policy is known and the reader's options use filters.
// Unimplemented for a codec that can't be read. Errors of `file`, which is then not closed.
absl::StatusOr<RewrittenTable> RewriteFilters(const TableReader& reader, KeyTrust keys,
                                              const NewFilters& filters,
                                              std::unique_ptr<WritableFile> file);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_FILTER_REWRITER_H_
