#include "table/table_loader.h"

#include <algorithm>
#include <utility>

#include "filter/bloom_kernels.h"
#include "table/metaindex.h"
#include "table/table_reader_impl.h"
#include "util/bytes.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr uint64_t kMaxRetryDistance = uint64_t{1} << 20;  // lookups

// Makes kBloomLoadSize bytes after a filter block readable, if need be by copying it.
void MakeRoomBehind(BlockContents* contents, const RandomAccessFile& file) {
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

std::shared_ptr<IndexInPlace> TableLoader::ReadInPlace(const LoadedTable** loaded) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool is_first = !std::exchange(has_tried_in_place_, true);
  const RandomAccessFile& file = *reader_.file_;
  const bool is_small = reader_.footer_.index.size < IndexInPlace::kMinSize;
  if (!is_first || (is_small && !file.IsUnmapped())) {
    std::shared_ptr<IndexInPlace> index = InPlace();
    if (index == nullptr) *loaded = &LoadLocked(Retry::kAtTimes);
    return index;
  }
  absl::StatusOr<BlockContents> contents = reader_.ReadBlock(
      BlockKind::kIndex, reader_.footer_.index, /*verify=*/true, BlockAccess::kFew);
  Block block;
  if (!contents.ok() || !Block::TryParse(contents->bytes, &block)) {
    *loaded = &Keep(Read(std::move(contents)));
    return nullptr;
  }
  index_in_place_ = std::make_shared<IndexInPlace>(*std::move(contents), block, &reader_.order_,
                                                   &file, FilterSize());
  SetInPlace(index_in_place_);
  return index_in_place_;
}

absl::StatusOr<BlockContents> TableLoader::ReadIndexToLoad() {
  const BlockHandle& handle = reader_.footer_.index;
  // A copy of what is mapped by now goes with the last lookup that is in it. What was uncompressed
  // is needed either way.
  if (index_in_place_ != nullptr && index_in_place_->is_copy() &&
      index_in_place_->contents().size() == handle.size && reader_.file_->Contents().has_value()) {
    index_in_place_ = nullptr;
  }
  if (index_in_place_ == nullptr) return reader_.ReadBlock(BlockKind::kIndex, handle);
  BlockContents borrowed;
  borrowed.bytes = index_in_place_->contents();
  return borrowed;
}

// Of what Read() reads of filters, in bytes.
uint64_t TableLoader::FilterSize() const {
  if (!reader_.options_.use_filter) return 0;
  const auto filter = reader_.metaindex_.FindFilter(reader_.options_.filter_policies);
  const auto of_table = reader_.metaindex_.FindTableFilter(reader_.options_.table_filter_policies);
  uint64_t size = 0;
  // The metaindex has no larger ones than the file.
  if (filter.policy != nullptr) size += filter.block->handle.size;
  if (of_table.policy != nullptr) size += of_table.block->handle.size;
  return size;
}

const LoadedTable& TableLoader::LoadNow(Retry retry) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return LoadLocked(retry);
}

// A device that is asked for bytes it can't read may take seconds to say so. So lookups that can do
// without the filter ask for it ever less often.
const LoadedTable& TableLoader::LoadLocked(Retry retry) {
  if (complete_ != nullptr) return *complete_;
  if (incomplete_ != nullptr && retry == Retry::kAtTimes && --calls_until_retry_ > 0) {
    return *incomplete_;
  }
  const LoadedTable& loaded = Keep(Read(ReadIndexToLoad()));
  has_tried_in_place_ = true;
  SetInPlace(nullptr);
  return loaded;
}

const LoadedTable& TableLoader::Keep(std::unique_ptr<LoadedTable> loaded) {
  // An index that was there must not go again, though the file may have been damaged since.
  const bool loses_index = incomplete_ != nullptr && !loaded->index.has_value();
  if (!loaded->is_incomplete && !loses_index) {
    complete_ = std::move(loaded);
    loaded_.store(complete_.get(), std::memory_order_release);
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

std::unique_ptr<LoadedTable> TableLoader::Read(absl::StatusOr<BlockContents> contents) const {
  auto loaded = std::make_unique<LoadedTable>();
  if (const auto bytes = reader_.file_->Contents()) loaded->file_bytes = bytes->data();
  loaded->index_status = {contents.status(), BlockKind::kIndex, reader_.footer_.index};
  if (IsTransient(contents.status())) {
    loaded->filter_status = loaded->index_status;
    loaded->is_incomplete = true;
    return loaded;
  }
  ReadFilter(loaded.get());
  ReadTableFilter(loaded.get());
  const FilterBlockReader* filter = loaded->filter ? &*loaded->filter : nullptr;
  if (contents.ok()) {
    absl::StatusOr<TableIndex> index =
        TableIndex::Parse(*std::move(contents), &reader_.order_, filter, reader_.file_->size());
    loaded->index_status.status = index.status();
    if (index.ok()) loaded->index.emplace(*std::move(index));
  }
  if (!loaded->index.has_value()) {
    loaded->is_incomplete = false;  // There is no use for the filter.
    return loaded;
  }
  if (reader_.options_.block_cache != nullptr) {
    loaded->cached_blocks.emplace(reader_.options_.block_cache, loaded->index->size());
  }
  ValidateFilters(loaded.get());
  return loaded;
}

void TableLoader::ReadFilter(LoadedTable* loaded) const {
  BlockStatus& status = loaded->filter_status;
  if (!reader_.options_.use_filter) {
    status.status = absl::FailedPreconditionError("the filter is turned off by the options");
    return;
  }
  const Metaindex& metaindex = reader_.metaindex_;
  Metaindex::Filter found = metaindex.FindFilter(reader_.options_.filter_policies);
  status.status = std::move(found.status);
  if (found.policy == nullptr) {
    if (status.status == metaindex.status()) {
      status.kind = BlockKind::kMetaindex;
      status.handle = reader_.footer_.metaindex;
    }
    return;
  }
  status.kind = BlockKind::kFilter;
  status.handle = found.block->handle;
  absl::StatusOr<BlockContents> contents = reader_.ReadBlock(status.kind, *status.handle);
  status.status = contents.status();
  loaded->is_incomplete = IsTransient(contents.status());
  if (!contents.ok()) return;
  loaded->filter_contents = *std::move(contents);
  MakeRoomBehind(&loaded->filter_contents, *reader_.file_);
  const FilterPolicy* const policy = reader_.order_.kind() == KeyKind::kInternal
                                         ? &loaded->internal_filter_policy.emplace(found.policy)
                                         : found.policy;
  absl::StatusOr<FilterBlockReader> filter =
      FilterBlockReader::Parse(policy, loaded->filter_contents.bytes);
  status.status = filter.status();
  if (!filter.ok()) return;
  loaded->filter = *filter;
  loaded->filter_policy = found.policy;
  loaded->bloom = found.policy->bloom();
}

void TableLoader::ReadTableFilter(LoadedTable* loaded) const {
  TableFilterBlock& filter = loaded->table_filter;
  const Metaindex::TableFilter found =
      reader_.metaindex_.FindTableFilter(reader_.options_.table_filter_policies);
  filter.status.status = found.status;
  if (found.policy == nullptr) return;
  if (!reader_.options_.use_filter) {
    filter.status.status = loaded->filter_status.status;
    return;
  }
  filter.status.kind = BlockKind::kFilter;
  filter.status.handle = found.block->handle;
  const absl::StatusOr<BlockContents> contents =
      reader_.ReadBlock(BlockKind::kFilter, found.block->handle);
  filter.status.status = contents.status();
  if (IsTransient(contents.status())) loaded->is_incomplete = true;
  if (contents.ok()) filter.Parse(*found.policy, contents->bytes);
  filter.prefixes = found.prefixes;
}

void LoadedTable::DropFilter() {
  filter.reset();
  filter_policy = nullptr;
  bloom = nullptr;
}

void LoadedTable::LeaveOutFilters(const BlockStatus& reason) {
  if (filter.has_value()) filter_status = reason;
  if (table_filter.filter != nullptr) table_filter.status = reason;
  table_filter.filter = nullptr;
  DropFilter();
  is_incomplete = true;
}

const BlockStatus& LoadedTable::FilterStatus() const {
  const auto is_missing = [](const BlockStatus& of_one) {
    return absl::IsNotFound(of_one.status) || absl::IsUnimplemented(of_one.status);
  };
  for (const BlockStatus* status : {&filter_status, &table_filter.status}) {
    if (!status->ok() && !is_missing(*status)) return *status;
  }
  // A filter that is missing or not known matters only if there is no other.
  if (filter_status.ok()) return filter_status;
  if (table_filter.status.ok() || absl::IsNotFound(filter_status.status)) {
    return absl::IsNotFound(table_filter.status.status) ? filter_status : table_filter.status;
  }
  return filter_status;
}

}  // namespace sstable
