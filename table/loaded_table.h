// Index and filters of a table, as lookups use them, and how its data blocks are read.
#ifndef SSTABLE_TABLE_LOADED_TABLE_H_
#define SSTABLE_TABLE_LOADED_TABLE_H_

#include <cstddef>
#include <optional>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "filter/lookup_filter.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/table_reader.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/block_search.h"
#include "table/cached_blocks.h"
#include "table/table_filter_block.h"
#include "table/table_index.h"
#include "table/table_parts.h"

namespace sstable {

// In the file, or in the cache, or in a buffer here.
struct DataBlock {
  explicit DataBlock(FillCache fill = FillCache::kYes) : fill_cache(fill) {}

  FillCache fill_cache;
  // The file, if it is in memory and the block is one of many that are read in order.
  const char* scan_bytes = nullptr;
  Block block;
  BlockContents contents;
  PinnedBlock pin;
};

// Threads: immutable once loaded.
struct LoadedTable {
  BlockStatus index_status;
  std::optional<TableIndex> index;

  BlockStatus filter_status;
  BlockContents filter_contents;  // kBloomLoadSize readable bytes follow
  std::optional<InternalFilterPolicy> internal_filter_policy;
  LookupFilter filter;
  // One that does not contain all keys: for reports.
  std::optional<FilterBlockReader> rejected_filter;

  TableFilterBlock table_filter;

  const char* file_bytes = nullptr;  // the file, if it is in memory
  // As in the first data block: bytes between the places that a search of a block looks at,
  // which are restart points, or entries where a block has one restart point.
  size_t search_stride = 1024;

  // Set only if there are an index and a cache.
  std::optional<CachedBlocks> cached_blocks;

  // Whether something is left out only because of a read that may succeed another time.
  bool is_incomplete = false;

  // Leaves both filters out: a block that would show whether they can be trusted can't be read.
  void LeaveOutFilters(const BlockStatus& reason);

  // The status of both filters: OK if lookups ask one, and the other, if known, can be used, too.
  const BlockStatus& FilterStatus() const;

  // Asks the processor for the parts of a block that a search will touch, if it is in the file.
  void Prefetch(const IndexRecord& record) const {
    if (ABSL_PREDICT_FALSE(!record.state.Has(BlockState::kDirect))) return;
    const char* const start = file_bytes + record.block_offset;
    ForEachPrefetch(record.block_size, search_stride,
                    [start](size_t offset) { __builtin_prefetch(start + offset); });
  }

  // Errors do not name file and block.
  absl::Status ReadDataBlock(const TableParts& table, const IndexRecord& record,
                             DataBlock* data) const;

 private:
  absl::Status ReadDataBlockSlowly(const TableParts& table, const IndexRecord& record,
                                   DataBlock* data) const;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_LOADED_TABLE_H_
