// Index and filters of a table, in the form that lookups use, and access to its data blocks.
#ifndef SSTABLE_TABLE_LOADED_TABLE_H_
#define SSTABLE_TABLE_LOADED_TABLE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

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
#include "table/index/table_index.h"
#include "table/table_filter_block.h"
#include "table/table_parts.h"

namespace sstable {

// A data block: in the file, in the cache, or in a buffer here.
struct DataBlock {
  explicit DataBlock(bool fill = true) : fill_cache(fill) {}

  bool fill_cache;
  // The file, if it is in memory and the block is part of a sequential scan.
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
  // A filter that does not contain all keys, kept for reports.
  std::optional<FilterBlockReader> rejected_filter;

  TableFilterBlock table_filter;

  const char* file_bytes = nullptr;  // the file, if it is in memory
  // Distance in bytes between the points that the search of a block examines, taken from the first
  // data block: between restart points, or between entries in a block with a single restart point.
  size_t search_stride = 1024;

  // Set only if there is an index and a cache.
  std::optional<CachedBlocks> cached_blocks;

  // True if there is nothing but the index (TableLoader::LoadIndex()).
  bool is_index_only = false;
  // True if something is missing only because of a read that may succeed later.
  bool is_incomplete = false;

  void SetIndex(TableIndex parsed, const std::shared_ptr<BlockCache>& cache) {
    index.emplace(std::move(parsed));
    if (cache != nullptr) cached_blocks.emplace(cache, index->size());
  }

  // Leaves both filters out, since a block that is needed to validate them can't be read.
  void LeaveOutFilters(const BlockStatus& reason);

  // The status of both filters: OK if lookups consult one of them, and the other is also usable or
  // has an unknown policy.
  const BlockStatus& FilterStatus() const;

  // Prefetches the parts of a block that a search will touch, if the block is in a file in memory.
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
