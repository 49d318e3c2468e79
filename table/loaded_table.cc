#include "table/loaded_table.h"

#include "absl/base/optimization.h"
#include "util/status_util.h"

namespace sstable {

absl::Status LoadedTable::ReadDataBlock(const TableParts& table, const IndexRecord& record,
                                        DataBlock* data) const {
  data->pin.Release();
  ReaderStatsCounter::Shard& stats = table.stats.ForThisThread();
  if (cached_blocks.has_value() && !record.state.Has(BlockState::kDirect)) {
    const size_t i = index->BlockIndex(record);
    cached_blocks->PrefetchSlot(i);
    cached_blocks->PrefetchBlock(i, search_stride);
    data->pin = cached_blocks->Find(i);
    if (ABSL_PREDICT_TRUE(data->pin.has_block())) {
      stats.Add(ReaderStatsCounter::kCacheHits);
      data->block = data->pin.block();
      return absl::OkStatus();
    }
  }
  stats.Add(ReaderStatsCounter::kBlocksRead);
  stats.Add(ReaderStatsCounter::kBytesRead, record.block_size + kBlockTrailerSize);
  if (ABSL_PREDICT_TRUE(record.state.Has(BlockState::kDirect))) {
    const char* const file = data->scan_bytes != nullptr ? data->scan_bytes : file_bytes;
    const absl::string_view bytes(file + record.block_offset, record.block_size);
    if (ABSL_PREDICT_TRUE(Block::TryParse(bytes, &data->block, record.restart_count.get()))) {
      return absl::OkStatus();
    }
  }
  return ReadDataBlockSlowly(table, record, data);
}

absl::Status LoadedTable::ReadDataBlockSlowly(const TableParts& table, const IndexRecord& record,
                                              DataBlock* data) const {
  const bool verify = table.options.verify_checksums == VerifyChecksums::kAlways ||
                      (table.options.verify_checksums == VerifyChecksums::kFirstTouch &&
                       !record.state.Has(BlockState::kVerified));
  const bool in_scan = data->scan_bytes != nullptr;
  ASSIGN_OR_RETURN(data->contents, table.ReadBlock(BlockKind::kData, record.handle(), verify,
                                                   in_scan         ? BlockAccess::kScan
                                                   : is_index_only ? BlockAccess::kFew
                                                                   : BlockAccess::kLookup));
  const bool is_for_cache = cached_blocks.has_value() && data->contents.buffer.size() > 0;
  const bool fills_cache =
      is_for_cache && data->fill_cache &&
      cached_blocks->Admits(index->BlockIndex(record), data->contents.buffer.size());
  if (fills_cache) data->contents.ShrinkBuffer();
  ASSIGN_OR_RETURN(data->block, Block::Parse(data->contents.bytes));
  if (verify) record.state.Set(BlockState::kVerified);
  const char* const file = in_scan ? data->scan_bytes : file_bytes;
  const bool is_direct =
      file_bytes != nullptr && data->contents.bytes.data() == file + record.block_offset;
  if (is_direct && table.options.verify_checksums != VerifyChecksums::kAlways) {
    if (data->block.contents_size() == record.block_size) {  // no hash index follows
      record.restart_count.Set(data->block.restart_count());
    }
    record.state.Set(BlockState::kDirect);
  }
  if (is_for_cache) {
    table.stats.ForThisThread().Add(ReaderStatsCounter::kCacheMisses);
    if (fills_cache) {
      data->pin =
          cached_blocks->Insert(index->BlockIndex(record), data->block, &data->contents.buffer);
      if (data->pin.has_block()) data->block = data->pin.block();
    }
  }
  return absl::OkStatus();
}

void LoadedTable::LeaveOutFilters(const BlockStatus& reason) {
  if (filter.reader() != nullptr) filter_status = reason;
  if (table_filter.filter != nullptr) table_filter.status = reason;
  table_filter.filter = nullptr;
  filter = LookupFilter();
  is_incomplete = true;
}

const BlockStatus& LoadedTable::FilterStatus() const {
  const auto is_missing = [](const BlockStatus& of_one) {
    return absl::IsNotFound(of_one.status) || absl::IsUnimplemented(of_one.status);
  };
  for (const BlockStatus* status : {&filter_status, &table_filter.status}) {
    if (!status->ok() && !is_missing(*status)) return *status;
  }
  // A missing or unknown filter matters only if there is no other.
  if (filter_status.ok()) return filter_status;
  if (table_filter.status.ok() || absl::IsNotFound(filter_status.status)) {
    return absl::IsNotFound(table_filter.status.status) ? filter_status : table_filter.status;
  }
  return filter_status;
}

}  // namespace sstable
