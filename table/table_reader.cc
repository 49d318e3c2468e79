#include "sstable/table_reader.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "sstable/slice.h"
#include "table/builder_options.h"
#include "table/table_internals.h"
#include "table/table_reader_impl.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable {
absl::StatusOr<std::unique_ptr<TableReader>> TableReader::Open(Slice path,
                                                               const TableReaderOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, OpenFile(path));
  return Open(std::move(file), options);
}

absl::StatusOr<std::unique_ptr<TableReader>> TableReader::Open(
    std::unique_ptr<RandomAccessFile> file, const TableReaderOptions& options) {
  if (file == nullptr) return absl::InvalidArgumentError("the file to read a table from is null");
  if (options.comparator == nullptr) {
    return absl::InvalidArgumentError("table option comparator is null");
  }
  if (absl::c_linear_search(options.filter_policies, nullptr)) {
    return absl::InvalidArgumentError("table option filter_policies has a null policy");
  }
  if (absl::c_linear_search(options.table_filter_policies, nullptr)) {
    return absl::InvalidArgumentError("table option table_filter_policies has a null policy");
  }
  RETURN_IF_ERROR(CheckNotWrapped(options.key_kind, options.comparator, options.filter_policies));
  auto reader = std::make_unique<Impl>(options, std::move(file));
  RETURN_IF_ERROR(reader->parts_.Read());
  return reader;
}

TableReader::~TableReader() = default;

absl::Status TableReader::LoadIndex() const { return LoadNow(*this).index_status.At(file()); }

absl::Status TableReader::LoadFilter() const {
  const LoadedTable& loaded = Impl::Of(*this).loader_.Load();
  if (!loaded.index.has_value()) return loaded.index_status.At(file());
  return loaded.FilterStatus().At(file());
}

absl::StatusOr<bool> TableReader::ProbePrefix(Slice prefix) const {
  const LoadedTable& loaded = Impl::Of(*this).loader_.Load();
  if (!loaded.index.has_value()) return loaded.index_status.At(file());
  return loaded.table_filter.PrefixMayMatch(prefix);
}

const FilterBlockReader* TableReader::filter() const {
  const LoadedTable* const loaded = Impl::Of(*this).loader_.complete();
  return loaded != nullptr ? loaded->filter.reader() : nullptr;
}

const RandomAccessFile& TableReader::file() const { return *Impl::Of(*this).parts_.file; }
const Footer& TableReader::footer() const { return Impl::Of(*this).parts_.footer; }
const std::vector<MetaBlock>& TableReader::meta_blocks() const {
  return Impl::Of(*this).parts_.metaindex.blocks();
}
const absl::Status& TableReader::metaindex_status() const {
  return Impl::Of(*this).parts_.metaindex_status;
}
CompressionNumbering TableReader::dialect() const {
  return Impl::Of(*this).parts_.metaindex.dialect();
}
const TableReaderOptions& TableReader::options() const { return Impl::Of(*this).parts_.options; }
ReaderStats TableReader::stats() const { return Impl::Of(*this).parts_.stats.Sum(); }

absl::StatusOr<std::string> TableReader::ReadMetaBlock(Slice name) const {
  ASSIGN_OR_RETURN(const BlockContents contents, MetaBlockOf(*this, name));
  return std::string(contents.bytes);
}

absl::StatusOr<uint64_t> TableReader::ApproximateOffsetOf(Slice key) const {
  const Impl& self = Impl::Of(*this);
  const LoadedTable& loaded = self.loader_.Load();
  if (!loaded.index.has_value()) return loaded.index_status.At(file());
  Impl::BlockPosition at;
  RETURN_IF_ERROR(self.FindBlock(*loaded.index, self.parts_.order.Split(key), &at));
  // Past the last block, returns the metaindex's offset, which is near the end of the data.
  return at.block < loaded.index->size() ? loaded.index->record(at.block).block_offset
                                         : footer().metaindex.offset;
}

const TableIndex* IndexOf(const TableReader& reader) {
  const LoadedTable& loaded = TableReader::Impl::Of(reader).loader_.LoadIndex(/*seeks=*/0);
  return loaded.index.has_value() ? &*loaded.index : nullptr;
}

const LoadedTable& LoadNow(const TableReader& reader) {
  return TableReader::Impl::Of(reader).loader_.Load(TableLoader::Retry::kNow);
}

std::shared_ptr<WorkBudget> WorkOf(const TableReader& reader) {
  const std::shared_ptr<WorkBudget>& work = TableReader::Impl::Of(reader).parts_.work;
  return work != nullptr ? work : std::make_shared<WorkBudget>(reader.file().size());
}

const KeyOrder& KeyOrderOf(const TableReader& reader) {
  return TableReader::Impl::Of(reader).parts_.order;
}

const Metaindex& MetaindexOf(const TableReader& reader) {
  return TableReader::Impl::Of(reader).parts_.metaindex;
}

absl::StatusOr<BlockContents> MetaBlockOf(const TableReader& reader, absl::string_view name) {
  const MetaBlock* const block = MetaindexOf(reader).Find(name);
  if (block == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(reader.file().name(), ": there is no meta block ", ShowBytes(name)));
  }
  const BlockKind kind = MetaBlockKind(name);
  absl::StatusOr<BlockContents> contents =
      TableReader::Impl::Of(reader).parts_.ReadBlock(kind, block->handle);
  if (!contents.ok()) return AtBlock(reader.file(), kind, block->handle, contents.status());
  return contents;
}

}  // namespace sstable
