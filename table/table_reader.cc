#include "sstable/table_reader.h"

#include <algorithm>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "filter/bloom_kernels.h"
#include "sstable/filter_policy.h"
#include "table/block/block_iterator.h"
#include "table/block/show_key.h"
#include "table/table_internals.h"
#include "table/table_reader_impl.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr uint64_t kMaxRetryDistance = uint64_t{1} << 20;  // lookups

// Whether another try may succeed. Bytes that are wrong stay wrong.
bool MayPass(const absl::Status& status) {
  return !status.ok() && !absl::IsDataLoss(status) && !absl::IsUnimplemented(status);
}

// Sees to it that kBloomLoadSize bytes behind a filter block can be read, if need be by copying it.
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

absl::StatusOr<std::unique_ptr<TableReader>> TableReader::Open(const TableReaderOptions& options,
                                                               absl::string_view path) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, OpenFile(path));
  return Open(options, std::move(file));
}

absl::StatusOr<std::unique_ptr<TableReader>> TableReader::Open(
    const TableReaderOptions& options, std::unique_ptr<RandomAccessFile> file) {
  if (options.comparator == nullptr) {
    return absl::InvalidArgumentError("table option comparator is null");
  }
  auto reader = std::make_unique<Impl>(options, std::move(file));
  RETURN_IF_ERROR(reader->ReadFooter());
  RETURN_IF_ERROR(reader->ReadMetaindex());
  return reader;
}

TableReader::Impl::Impl(const TableReaderOptions& options, std::unique_ptr<RandomAccessFile> file)
    : options_(options), order_(options.comparator, options.key_kind), file_(std::move(file)) {}

TableReader::~TableReader() = default;

absl::Status TableReader::Impl::ReadFooter() {
  char bytes[kFooterSize];
  const size_t size = static_cast<size_t>(std::min<uint64_t>(kFooterSize, file_->size()));
  RETURN_IF_ERROR(AtPlace(absl::StrCat(file_->name(), ": footer"),
                          file_->Read(file_->size() - size, size, bytes)));
  absl::StatusOr<Footer> footer = Footer::Parse(absl::string_view(bytes, size), file_->size());
  if (!footer.ok()) return AtPlace(file_->name(), footer.status());
  footer_ = *footer;
  return absl::OkStatus();
}

BlockReadOptions TableReader::Impl::ReadOptions(bool verify) const {
  return {verify, options_.max_uncompressed_block_size, metaindex_.dialect()};
}

// Without a metaindex the data can still be read, so damage is kept, not returned. But a reader
// that could not read it now would go without filter, and without knowing whose type bytes they
// are, for as long as it lives.
absl::Status TableReader::Impl::ReadMetaindex() {
  const auto read = [this]() -> absl::Status {
    ASSIGN_OR_RETURN(
        const BlockContents contents,
        ReadBlock(*file_, BlockKind::kMetaindex, footer_.metaindex, ReadOptions(/*verify=*/true)));
    return AtBlock(*file_, BlockKind::kMetaindex, footer_.metaindex,
                   metaindex_.Parse(contents.bytes, file_->size()));
  };
  metaindex_status_ = read();
  if (MayPass(metaindex_status_)) return metaindex_status_;
  return absl::OkStatus();
}

// A device that is asked for bytes it can't read may take seconds to say so. So lookups that can do
// without the filter ask for it ever less often.
absl::StatusOr<const TableReader::Impl::Loaded*> TableReader::Impl::LoadNow(Retry retry) const {
  const std::lock_guard<std::mutex> lock(load_mutex_);
  if (complete_ != nullptr) return complete_.get();
  if (incomplete_ != nullptr && retry == Retry::kAtTimes && --calls_until_retry_ > 0) {
    return incomplete_.get();
  }
  absl::StatusOr<std::unique_ptr<Loaded>> loaded = ReadLoaded();
  // An index that was there must not go again, though the file may have been damaged since.
  const bool loses_index = incomplete_ != nullptr && loaded.ok() && !(*loaded)->index.has_value();
  if (loaded.ok() && !(*loaded)->is_incomplete && !loses_index) {
    complete_ = *std::move(loaded);
    loaded_.store(complete_.get(), std::memory_order_release);
    return complete_.get();
  }
  if (incomplete_ == nullptr) {
    if (!loaded.ok()) return loaded.status();
    incomplete_ = *std::move(loaded);
  }
  calls_until_retry_ = retry_distance_;
  retry_distance_ = std::min(2 * retry_distance_, kMaxRetryDistance);
  return incomplete_.get();
}

absl::StatusOr<std::unique_ptr<TableReader::Impl::Loaded>> TableReader::Impl::ReadLoaded() const {
  absl::StatusOr<BlockContents> contents =
      ReadBlock(*file_, BlockKind::kIndex, footer_.index, ReadOptions(/*verify=*/true));
  if (MayPass(contents.status())) return contents.status();
  auto loaded = std::make_unique<Loaded>();
  if (const auto bytes = file_->Contents()) loaded->file_bytes = bytes->data();
  loaded->index_status = contents.status();
  LoadFilter(loaded.get());
  const FilterBlockReader* filter = loaded->filter ? &*loaded->filter : nullptr;
  if (contents.ok()) {
    absl::StatusOr<TableIndex> index =
        TableIndex::Parse(*std::move(contents), &order_, filter, file_->size());
    loaded->index_status = AtBlock(*file_, BlockKind::kIndex, footer_.index, index.status());
    if (index.ok()) loaded->index.emplace(*std::move(index));
  }
  if (!loaded->index.has_value()) {
    loaded->is_incomplete = false;  // There is no use for the filter.
    return loaded;
  }
  if (options_.block_cache != nullptr) {
    loaded->cached_blocks.emplace(options_.block_cache, loaded->index->size());
  }
  if (filter != nullptr) LookAtFirstBlock(loaded.get());
  return loaded;
}

void TableReader::Impl::LoadFilter(Loaded* loaded) const {
  if (!options_.use_filter) {
    loaded->filter_status =
        absl::FailedPreconditionError("the filter is turned off by the options");
    return;
  }
  Metaindex::Filter found = metaindex_.FindFilter(options_.filter_policies);
  if (found.policy == nullptr) {
    const bool is_none = absl::IsNotFound(found.status) && !metaindex_status_.ok();
    loaded->filter_status = is_none ? metaindex_status_ : std::move(found.status);
    return;
  }
  if (order_.kind() == KeyKind::kInternal) {
    found.policy = &loaded->internal_filter_policy.emplace(found.policy);
  }
  const BlockHandle& handle = found.block->handle;
  absl::StatusOr<BlockContents> contents =
      ReadBlock(*file_, BlockKind::kFilter, handle, ReadOptions(/*verify=*/true));
  if (!contents.ok()) {
    loaded->filter_status = contents.status();
    loaded->is_incomplete = MayPass(contents.status());
    return;
  }
  loaded->filter_contents = *std::move(contents);
  MakeRoomBehind(&loaded->filter_contents, *file_);
  absl::StatusOr<FilterBlockReader> filter =
      FilterBlockReader::Parse(found.policy, loaded->filter_contents.bytes);
  if (!filter.ok()) {
    loaded->filter_status = AtBlock(*file_, BlockKind::kFilter, handle, filter.status());
    return;
  }
  loaded->filter = *filter;
  loaded->bloom = found.policy->bloom();
}

// If the first block is damaged, lookups that need it will say so.
void TableReader::Impl::LookAtFirstBlock(Loaded* loaded) const {
  if (loaded->index->size() == 0) return;
  DataBlock data(FillCache::kNo);
  const absl::Status status = ReadDataBlock(*loaded, loaded->index->record(0), &data);
  if (MayPass(status)) {
    loaded->is_incomplete = true;
    return DropFilter(status, loaded);
  }
  if (!status.ok()) return;
  if (data.block.restart_count() > 1) {
    loaded->restart_distance = std::max<size_t>(64, data.block.RestartOffset(1));
  }
  BlockIterator entries(&order_, data.block);
  entries.SeekToFirst();
  if (entries.Valid()) DropFilterUnlessItKnows(entries.key(), loaded);
}

// A filter asked about the wrong kind of keys, or with another hash than it was made with, hides
// keys. It would most likely hide the first one, too.
void TableReader::Impl::DropFilterUnlessItKnows(absl::string_view first_key, Loaded* loaded) const {
  const IndexRecord& record = loaded->index->record(0);
  if (record.filter_size == 0 || loaded->filter->KeyMayMatch(record.block_offset, first_key)) {
    return;
  }
  DropFilter(absl::FailedPreconditionError(
                 absl::StrCat("filter \"", loaded->filter->policy()->Name(),
                              "\" does not know the table's first key ", ShowKey(order_, first_key),
                              ": it was made of another kind of keys, or by another policy")),
             loaded);
}

void TableReader::Impl::DropFilter(absl::Status reason, Loaded* loaded) {
  loaded->filter_status = std::move(reason);
  loaded->filter.reset();
  loaded->bloom = nullptr;
}

absl::Status TableReader::LoadIndex() const {
  const absl::StatusOr<const Impl::Loaded*> loaded = Impl::Of(*this).Load(Impl::Retry::kNow);
  return loaded.ok() ? (*loaded)->index_status : loaded.status();
}

absl::Status TableReader::filter_status() const {
  const absl::StatusOr<const Impl::Loaded*> loaded = Impl::Of(*this).Load();
  return loaded.ok() ? (*loaded)->filter_status : loaded.status();
}

const FilterBlockReader* TableReader::filter() const {
  const absl::StatusOr<const Impl::Loaded*> loaded = Impl::Of(*this).Load();
  return loaded.ok() && (*loaded)->filter ? &*(*loaded)->filter : nullptr;
}

const RandomAccessFile& TableReader::file() const { return *Impl::Of(*this).file_; }
const Footer& TableReader::footer() const { return Impl::Of(*this).footer_; }
const std::vector<MetaBlock>& TableReader::meta_blocks() const {
  return Impl::Of(*this).metaindex_.blocks();
}
const absl::Status& TableReader::metaindex_status() const {
  return Impl::Of(*this).metaindex_status_;
}
TypeByteDialect TableReader::dialect() const { return Impl::Of(*this).metaindex_.dialect(); }
const TableReaderOptions& TableReader::options() const { return Impl::Of(*this).options_; }
ReaderStats TableReader::stats() const { return Impl::Of(*this).stats_.Sum(); }

absl::StatusOr<std::string> TableReader::ReadMetaBlock(absl::string_view name) const {
  ASSIGN_OR_RETURN(const BlockContents contents, MetaBlockOf(*this, name));
  return std::string(contents.bytes);
}

absl::StatusOr<uint64_t> TableReader::ApproximateOffsetOf(absl::string_view key) const {
  const Impl& self = Impl::Of(*this);
  ASSIGN_OR_RETURN(const Impl::Loaded* loaded, self.Load());
  if (!loaded->index.has_value()) return loaded->index_status;
  size_t i = 0;
  RETURN_IF_ERROR(self.FindBlock(*loaded->index, key, &i));
  // Past the last block, the metaindex is near where data ends.
  return i < loaded->index->size() ? loaded->index->record(i).block_offset
                                   : self.footer_.metaindex.offset;
}

const TableIndex* IndexOf(const TableReader& reader) {
  const absl::StatusOr<const TableReader::Impl::Loaded*> loaded =
      TableReader::Impl::Of(reader).Load();
  return loaded.ok() && (*loaded)->index ? &*(*loaded)->index : nullptr;
}

const KeyOrder& KeyOrderOf(const TableReader& reader) {
  return TableReader::Impl::Of(reader).order_;
}

const Metaindex& MetaindexOf(const TableReader& reader) {
  return TableReader::Impl::Of(reader).metaindex_;
}

absl::StatusOr<BlockContents> MetaBlockOf(const TableReader& reader, absl::string_view name) {
  const MetaBlock* const block = MetaindexOf(reader).Find(name);
  if (block == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(reader.file().name(), ": no meta block is called ", ShowBytes(name)));
  }
  return ReadBlock(reader.file(), MetaBlockKind(name), block->handle,
                   TableReader::Impl::Of(reader).ReadOptions(/*verify=*/true));
}

}  // namespace sstable
