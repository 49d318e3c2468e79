#include "table/table_loader.h"

#include <algorithm>
#include <utility>

#include "filter/bloom_kernels.h"
#include "filter/lookup_filter.h"
#include "sstable/experimental/table_filter.h"
#include "table/metaindex.h"
#include "util/bytes.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr uint64_t kMaxRetryDistance = uint64_t{1} << 20;  // lookups

// Makes kBloomLoadSize bytes after a filter block readable, by copying it if necessary.
void EnsurePadding(BlockContents* contents, const RandomAccessFile& file) {
  const std::optional<absl::string_view> whole = file.Contents();
  if (whole.has_value() && contents->buffer.size() == 0 &&
      static_cast<size_t>(whole->data() + whole->size() - contents->bytes.data()) >=
          contents->bytes.size() + kBloomLoadSize) {
    return;
  }
  ByteBuffer copy;
  copy.Reserve(contents->bytes.size() + kBloomLoadSize);
  copy.Append(contents->bytes);
  contents->buffer = std::move(copy);
  contents->bytes = contents->buffer.view();
}

}  // namespace

std::shared_ptr<RawIndex> TableLoader::ReadRawIndex(const LoadedTable** loaded) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool is_first = !std::exchange(has_tried_raw_index_, true);
  if (!is_first) {
    std::shared_ptr<RawIndex> index = raw_index();
    if (index == nullptr) *loaded = &LoadLocked(Retry::kAtTimes);
    return index;
  }
  absl::StatusOr<BlockContents> contents =
      table_.ReadBlock(BlockKind::kIndex, table_.footer.index, /*verify=*/true, BlockAccess::kFew);
  Block block;
  if (!contents.ok() || !Block::TryParse(contents->bytes, &block)) {
    *loaded = &Keep(Read(std::move(contents)));
    return nullptr;
  }
  kept_raw_index_ = std::make_shared<RawIndex>(*std::move(contents), block, &table_);
  SetRawIndex(kept_raw_index_);
  return kept_raw_index_;
}

absl::StatusOr<BlockContents> TableLoader::ReadIndexToLoad() {
  const BlockHandle& handle = table_.footer.index;
  // If the file is mapped by now, a copy of raw contents is freed with the last lookup that uses
  // it. Uncompressed contents are still needed.
  if (kept_raw_index_ != nullptr && kept_raw_index_->is_copy() &&
      kept_raw_index_->contents().size() == handle.size && table_.file->Contents().has_value()) {
    kept_raw_index_ = nullptr;
  }
  if (kept_raw_index_ == nullptr) return table_.ReadBlock(BlockKind::kIndex, handle);
  BlockContents borrowed;
  borrowed.bytes = kept_raw_index_->contents();
  return borrowed;
}

const LoadedTable& TableLoader::LoadNow(Retry retry) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return LoadLocked(retry);
}

const LoadedTable& TableLoader::LoadIndexNow(uint64_t seeks) {
  const std::lock_guard<std::mutex> lock(mutex_);
  index_seeks_ += seeks;
  const bool is_early = complete_ == nullptr && incomplete_ == nullptr &&
                        table_.file->IsUnmapped() &&
                        index_seeks_ <= RawIndex::MostLookups(*table_.file);
  if (is_early && index_only_ == nullptr) index_only_ = ReadIndexOnly();
  if (index_only_ != nullptr && (is_early || seeks == 0)) return *index_only_;
  return LoadLocked(Retry::kAtTimes);
}

// A device may take seconds to report bytes that it can't read. So lookups that can do without the
// filter retry less and less often.
const LoadedTable& TableLoader::LoadLocked(Retry retry) {
  if (complete_ != nullptr) return *complete_;
  if (incomplete_ != nullptr && retry == Retry::kAtTimes && --calls_until_retry_ > 0) {
    return *incomplete_;
  }
  const LoadedTable& loaded = Keep(Read(ReadIndexToLoad()));
  has_tried_raw_index_ = true;
  SetRawIndex(nullptr);
  return loaded;
}

const LoadedTable& TableLoader::Keep(std::unique_ptr<LoadedTable> loaded) {
  // A loaded index must be kept, even if the file has been damaged since.
  const bool loses_index = incomplete_ != nullptr && !loaded->index.has_value();
  if (!loaded->is_incomplete && !loses_index) {
    complete_ = std::move(loaded);
    if (complete_->index.has_value()) {
      loaded_.store(complete_.get(), std::memory_order_release);
    }
    return *complete_;
  }
  if (incomplete_ == nullptr) {
    if (!loaded->index.has_value()) return KeepFailure(std::move(loaded));
    incomplete_ = std::move(loaded);
  }
  calls_until_retry_ = retry_distance_;
  retry_distance_ = std::min(2 * retry_distance_, kMaxRetryDistance);
  return *incomplete_;
}

const LoadedTable& TableLoader::KeepFailure(std::unique_ptr<LoadedTable> failed) {
  for (const std::unique_ptr<LoadedTable>& failure : failures_) {
    if (failure->index_status.status == failed->index_status.status) return *failure;
  }
  return *failures_.emplace_back(std::move(failed));
}

// Returns null if there is no index, or if it is so large that reading it has mapped the file.
std::unique_ptr<LoadedTable> TableLoader::ReadIndexOnly() const {
  absl::StatusOr<BlockContents> contents =
      table_.ReadBlock(BlockKind::kIndex, table_.footer.index, /*verify=*/true, BlockAccess::kFew);
  if (!contents.ok() || !table_.file->IsUnmapped()) return nullptr;
  absl::StatusOr<TableIndex> index = TableIndex::Parse(*std::move(contents), &table_.order,
                                                       /*filter=*/nullptr, table_.file->size());
  if (!index.ok()) return nullptr;
  auto loaded = std::make_unique<LoadedTable>();
  loaded->is_index_only = true;
  loaded->SetIndex(*std::move(index), table_.options.block_cache);
  return loaded;
}

std::unique_ptr<LoadedTable> TableLoader::Read(absl::StatusOr<BlockContents> contents) const {
  auto loaded = std::make_unique<LoadedTable>();
  if (const auto bytes = table_.file->Contents()) loaded->file_bytes = bytes->data();
  loaded->index_status = {contents.status(), BlockKind::kIndex, table_.footer.index};
  if (IsTransient(contents.status())) {
    loaded->filter_status = loaded->index_status;
    loaded->is_incomplete = true;
    return loaded;
  }
  ReadFilter(loaded.get());
  ReadTableFilter(loaded.get());
  if (contents.ok()) {
    absl::StatusOr<TableIndex> index = TableIndex::Parse(
        *std::move(contents), &table_.order, loaded->filter.reader(), table_.file->size());
    loaded->index_status.status = index.status();
    if (index.ok()) loaded->SetIndex(*std::move(index), table_.options.block_cache);
  }
  if (!loaded->index.has_value()) {
    loaded->is_incomplete = false;  // the filter would not be used
    return loaded;
  }
  ValidateFilters(loaded.get());
  return loaded;
}

void TableLoader::ReadFilter(LoadedTable* loaded) const {
  BlockStatus& status = loaded->filter_status;
  if (!table_.options.use_filter) {
    status.status = absl::FailedPreconditionError("the filter is turned off by the options");
    return;
  }
  const Metaindex& metaindex = table_.metaindex;
  Metaindex::Filter found = metaindex.FindFilter(table_.options.filter_policies);
  status.status = std::move(found.status);
  if (found.policy == nullptr) {
    if (status.status == metaindex.status()) {
      status.kind = BlockKind::kMetaindex;
      status.handle = table_.footer.metaindex;
    }
    return;
  }
  status.kind = BlockKind::kFilter;
  status.handle = found.block->handle;
  absl::StatusOr<BlockContents> contents = table_.ReadBlock(status.kind, *status.handle);
  status.status = contents.status();
  if (IsTransient(contents.status())) loaded->is_incomplete = true;
  if (!contents.ok()) return;
  loaded->filter_contents = *std::move(contents);
  EnsurePadding(&loaded->filter_contents, *table_.file);
  const FilterPolicy* const policy = table_.order.kind() == KeyKind::kInternal
                                         ? &loaded->internal_filter_policy.emplace(found.policy)
                                         : found.policy;
  absl::StatusOr<FilterBlockReader> filter =
      FilterBlockReader::Parse(policy, loaded->filter_contents.bytes);
  status.status = filter.status();
  if (!filter.ok()) return;
  loaded->filter = LookupFilter(*filter, found.policy);
}

void TableLoader::ReadTableFilter(LoadedTable* loaded) const {
  TableFilterBlock& filter = loaded->table_filter;
  const Metaindex::TableFilter found =
      table_.metaindex.FindTableFilter(table_.options.table_filter_policies);
  filter.status.status = found.status;
  if (found.policy == nullptr) return;
  if (!table_.options.use_filter) {
    filter.status.status = loaded->filter_status.status;
    return;
  }
  filter.status.kind = BlockKind::kFilter;
  filter.status.handle = found.block->handle;
  const absl::StatusOr<BlockContents> contents =
      table_.ReadBlock(BlockKind::kFilter, found.block->handle);
  filter.status.status = contents.status();
  if (IsTransient(contents.status())) loaded->is_incomplete = true;
  if (contents.ok()) filter.Parse(*found.policy, contents->bytes);
  filter.prefixes = found.prefixes;
}

}  // namespace sstable
