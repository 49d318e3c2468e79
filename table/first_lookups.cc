// The first lookups in a table, which search the index block as it is in the file and use no
// filter.
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "table/block/block_search.h"
#include "table/raw_index.h"
#include "table/reader_stats_counter.h"
#include "table/table_internals.h"
#include "table/table_reader_impl.h"
#include "util/status_util.h"

namespace sstable {

TableReader::Impl::FirstLookup TableReader::Impl::FirstLookUp(
    const LookupKey& key, absl::FunctionRef<absl::Status(const LookupStep&)> visit) const {
  FirstLookup first;
  const std::shared_ptr<RawIndex> index = loader_.RawIndexOrLoad(&first.table);
  if (index != nullptr) {
    if (index->TakeLookup()) first.status = LookUpInRawIndex(index.get(), key, visit);
    if (first.status.has_value()) return first;
    first.table = &loader_.Load();
  }
  if (!first.table->index.has_value()) first.status = first.table->index_status.At(*parts_.file);
  return first;
}

std::optional<absl::Status> TableReader::Impl::LookUpInRawIndex(
    RawIndex* index, const LookupKey& key,
    absl::FunctionRef<absl::Status(const LookupStep&)> visit) const {
  const bool is_internal = parts_.order.kind() == KeyKind::kInternal;
  if (is_internal && !index->IsInOrder()) return std::nullopt;
  ReaderStatsCounter::Shard& stats = parts_.stats.ForThisThread();
  KeyBuffer scratch;
  BlockSearchResult index_entry;
  if (!SearchBlock(index->block(), parts_.order, key, &scratch, &index_entry).ok()) {
    return std::nullopt;
  }
  if (index_entry.entry == nullptr) {  // the key is past every block
    if (!index->IsInOrder()) return std::nullopt;
    FilterOutcome().Count(&stats);
    return absl::OkStatus();
  }
  const absl::StatusOr<BlockHandle> handle = BlockHandle::Parse(&index_entry.value);
  // Larger than any block; an IndexRecord could not hold the size.
  if (!handle.ok() || handle->size > std::numeric_limits<uint32_t>::max()) return std::nullopt;

  stats.Add(ReaderStatsCounter::kBlocksRead);
  stats.Add(ReaderStatsCounter::kBytesRead, handle->size + kBlockTrailerSize);
  const bool verify = parts_.options.verify_checksums != VerifyChecksums::kNever;
  Block block;
  BlockSearchResult found;
  absl::StatusOr<BlockContents> contents =
      parts_.ReadBlock(BlockKind::kData, *handle, verify, BlockAccess::kFew);
  absl::Status status = contents.status();
  if (status.ok()) {
    // Damage other than a wrong checksum is left to the loaded table.
    if (!Block::TryParse(contents->bytes, &block)) return std::nullopt;
    if (!SearchBlock(block, parts_.order, key, &scratch, &found).ok()) return std::nullopt;
  }
  // A failing device is always reported. Damage is reported only if the index is in order:
  // otherwise the index may be what is wrong.
  const bool is_sure = IsTransient(status) || found.has_user_key || index->IsInOrder();
  if (!is_sure) return std::nullopt;
  if (!status.ok()) return AtBlock(*parts_.file, BlockKind::kData, *handle, status);
  // Versions of the key may continue in the next block (VersionsMayContinue()).
  if (found.entry == nullptr && is_internal && index_entry.has_user_key) return std::nullopt;
  status = visit(LookupStep{0, &status, &block, &found, &scratch});
  if (status.ok()) FilterOutcome().Count(&stats);
  return status;
}

}  // namespace sstable
