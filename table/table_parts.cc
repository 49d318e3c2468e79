#include "table/table_parts.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "table/block/file_kind.h"
#include "table/block/rocksdb_properties.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable {

TableParts::TableParts(const TableReaderOptions& reader_options,
                       std::unique_ptr<RandomAccessFile> table_file)
    : options(reader_options),
      order(options.comparator, options.key_kind),
      file(std::move(table_file)),
      work(options.max_work.has_value()
               ? std::make_shared<WorkBudget>(file->size(), *options.max_work)
               : nullptr) {}

absl::Status TableParts::Read() {
  RETURN_IF_ERROR(ReadFooter());
  return ReadMetaindex();
}

absl::Status TableParts::HasNoTag(absl::string_view key) const {
  return absl::InvalidArgumentError(
      absl::StrCat(file->name(), ": key ", ShowBytes(key),
                   " is not an internal key: expected 8 bytes of sequence and type at its end"));
}

absl::Status TableParts::ReadFooter() {
  char bytes[kFooterSize];
  const size_t size = static_cast<size_t>(std::min<uint64_t>(kFooterSize, file->size()));
  RETURN_IF_ERROR(AtPlace(absl::StrCat(file->name(), ": footer"),
                          file->Read(file->size() - size, size, bytes)));
  absl::StatusOr<Footer> parsed = Footer::Parse(absl::string_view(bytes, size), file->size());
  if (!parsed.ok()) {
    return ExplainByKind(*file, FileKind::kTable, AtPlace(file->name(), parsed.status()));
  }
  footer = *parsed;
  return absl::OkStatus();
}

// The data can be read without a metaindex, so damage to it is kept, not returned. But if it can't
// be read only now, the reader must not be opened: it would never have a filter, nor know the
// numbering of type bytes.
absl::Status TableParts::ReadMetaindex() {
  metaindex = Metaindex(*file, footer.metaindex, options.max_uncompressed_block_size);
  metaindex_status = AtBlock(*file, BlockKind::kMetaindex, footer.metaindex, metaindex.status());
  if (IsTransient(metaindex_status)) return metaindex_status;
  return AtPlace(file->name(),
                 CheckRocksDbTable(metaindex.blocks(), [this](const BlockHandle& handle) {
                   return ReadBlock(BlockKind::kMeta, handle);
                 }));
}

}  // namespace sstable
