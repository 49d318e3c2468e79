#include "sstable/table_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "table/builder_options.h"
#include "table/file_kind.h"
#include "table/rocksdb_properties.h"
#include "table/table_internals.h"
#include "table/table_reader_impl.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable {
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
  RETURN_IF_ERROR(CheckNotWrapped(options.key_kind, options.comparator, options.filter_policies));
  auto reader = std::make_unique<Impl>(options, std::move(file));
  RETURN_IF_ERROR(reader->ReadFooter());
  RETURN_IF_ERROR(reader->ReadMetaindex());
  return reader;
}

TableReader::Impl::Impl(const TableReaderOptions& options, std::unique_ptr<RandomAccessFile> file)
    : options_(options),
      order_(options.comparator, options.key_kind),
      file_(std::move(file)),
      work_(options.max_work.has_value()
                ? std::make_shared<WorkBudget>(file_->size(), *options.max_work)
                : nullptr) {}

TableReader::~TableReader() = default;

absl::Status TableReader::Impl::ReadFooter() {
  char bytes[kFooterSize];
  const size_t size = static_cast<size_t>(std::min<uint64_t>(kFooterSize, file_->size()));
  RETURN_IF_ERROR(AtPlace(absl::StrCat(file_->name(), ": footer"),
                          file_->Read(file_->size() - size, size, bytes)));
  absl::StatusOr<Footer> footer = Footer::Parse(absl::string_view(bytes, size), file_->size());
  if (!footer.ok()) {
    return ExplainByKind(*file_, FileKind::kTable, AtPlace(file_->name(), footer.status()));
  }
  footer_ = *footer;
  return absl::OkStatus();
}

// Without a metaindex the data can still be read, so damage is kept, not returned. But a reader
// that could not read it now would go without filter, and without knowing whose type bytes they
// are, for as long as it lives.
absl::Status TableReader::Impl::ReadMetaindex() {
  metaindex_ = Metaindex(*file_, footer_.metaindex, options_.max_uncompressed_block_size);
  metaindex_status_ =
      AtBlock(*file_, BlockKind::kMetaindex, footer_.metaindex, metaindex_.status());
  if (IsTransient(metaindex_status_)) return metaindex_status_;
  return AtPlace(file_->name(),
                 CheckRocksDbTable(metaindex_.blocks(), [this](const BlockHandle& handle) {
                   return ReadBlock(BlockKind::kMeta, handle);
                 }));
}

absl::Status TableReader::LoadIndex() const { return LoadNow(*this).index_status.At(file()); }

absl::Status TableReader::filter_status() const {
  return Impl::Of(*this).loader_.Load().FilterStatus().At(file());
}

bool TableReader::PrefixMayMatch(absl::string_view prefix) const {
  return Impl::Of(*this).loader_.Load().table_filter.PrefixMayMatch(prefix);
}

const FilterBlockReader* TableReader::filter() const {
  const LoadedTable& loaded = Impl::Of(*this).loader_.Load();
  return loaded.filter.has_value() ? &*loaded.filter : nullptr;
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
  const LoadedTable& loaded = self.loader_.Load();
  if (!loaded.index.has_value()) return loaded.index_status.At(file());
  size_t i = 0;
  RETURN_IF_ERROR(self.FindBlock(*loaded.index, key, &i));
  // Past the last block, the metaindex is near where data ends.
  return i < loaded.index->size() ? loaded.index->record(i).block_offset
                                  : self.footer_.metaindex.offset;
}

const TableIndex* IndexOf(const TableReader& reader) {
  const LoadedTable& loaded = TableReader::Impl::Of(reader).loader_.Load();
  return loaded.index.has_value() ? &*loaded.index : nullptr;
}

const LoadedTable& LoadNow(const TableReader& reader) {
  return TableReader::Impl::Of(reader).loader_.Load(TableLoader::Retry::kNow);
}

std::shared_ptr<WorkBudget> WorkOf(const TableReader& reader) {
  const std::shared_ptr<WorkBudget>& work = TableReader::Impl::Of(reader).work_;
  return work != nullptr ? work : std::make_shared<WorkBudget>(reader.file().size());
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
  const BlockKind kind = MetaBlockKind(name);
  absl::StatusOr<BlockContents> contents =
      TableReader::Impl::Of(reader).ReadBlock(kind, block->handle);
  if (!contents.ok()) return AtBlock(reader.file(), kind, block->handle, contents.status());
  return contents;
}

}  // namespace sstable
