#include "table/salvage/table_tail.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "table/block/compression.h"
#include "table/block/rocksdb_properties.h"
#include "table/inspect/block_identity.h"
#include "table/metaindex.h"
#include "table/salvage/carved_file.h"

namespace sstable {
namespace {

// Returns true if the footer's metaindex handle leads to the index, or to a copy of it. `index` is
// the block to which its index handle leads, if it can be read. Only RocksDB's tables have the
// metaindex after the index, and the first meta block is at offset 0 only if there are no data
// blocks.
bool LooksLikeIndex(const Footer& footer, const Index& metaindex, const Index* index) {
  const auto is_meta = [](const IndexEntry& entry) { return IsMetaName(entry.key); };
  if (std::any_of(metaindex.begin(), metaindex.end(), is_meta)) return false;
  return footer.metaindex.offset > footer.index.offset ||
         ((index == nullptr || !index->empty()) && IsBackToBack(metaindex)) ||
         (!metaindex.empty() && index != nullptr && !index->empty() &&
          std::all_of(index->begin(), index->end(), is_meta));
}

absl::Status CheckIndex(const ScannedFile& file, const TableTail& tail, const Index& index) {
  // RocksDB's tables may have bytes between blocks.
  if (tail.shift != 0 && file.dialect == CompressionNumbering::kLevelDb) {
    return absl::DataLossError(absl::StrFormat(
        "according to the footer, the file should end at offset %d, but the file ends at %d",
        static_cast<int64_t>(file.size()) - tail.shift, file.size()));
  }
  std::vector<BlockHandle> blocks;
  for (const IndexEntry& entry : index) {
    if (!file.IsInside(entry.handle)) return absl::DataLossError("its blocks are not in the file");
    blocks.push_back(entry.handle);
  }
  return CheckExtent(blocks, *tail.footer, tail.metaindex_status, tail.meta_blocks, file.dialect);
}

}  // namespace

std::vector<MetaBlock> MetaBlocksOf(const Index& metaindex) {
  std::vector<MetaBlock> meta_blocks;
  for (const IndexEntry& entry : metaindex) meta_blocks.push_back({entry.key, entry.handle});
  return meta_blocks;
}

TableTail ReadTail(ScannedFile* file) {
  TableTail tail;
  const size_t footer_size = std::min<size_t>(kFooterSize, file->bytes().size());
  absl::StatusOr<Footer> footer =
      Footer::Parse(file->bytes().substr(file->bytes().size() - footer_size), file->size());
  tail.footer_status = footer.status();
  if (!footer.ok()) {
    tail.index_status = tail.metaindex_status =
        absl::NotFoundError("there is no footer to locate it");
    return tail;
  }
  tail.footer = *footer;
  tail.shift = static_cast<int64_t>(file->size() - kFooterSize -
                                    std::max(EndOf(footer->metaindex), EndOf(footer->index)));
  const absl::StatusOr<Index> metaindex =
      file->ReadHandles(BlockKind::kMetaindex, footer->metaindex);
  absl::StatusOr<Index> index = file->ReadHandles(BlockKind::kIndex, footer->index);
  tail.metaindex_status = metaindex.status();
  tail.index_status = index.status();
  if (metaindex.ok() && LooksLikeIndex(*footer, *metaindex, index.ok() ? &*index : nullptr)) {
    tail.metaindex_status = absl::DataLossError("seems to be the index block");
  } else if (metaindex.ok()) {
    tail.meta_blocks = MetaBlocksOf(*metaindex);
    const auto is_rocksdbs = [](const MetaBlock& block) { return IsRocksDbName(block.name); };
    if (std::any_of(tail.meta_blocks.begin(), tail.meta_blocks.end(), is_rocksdbs)) {
      file->dialect = CompressionNumbering::kRocksDb;
    }
    tail.format_status = CheckRocksDbTable(tail.meta_blocks, [file](const BlockHandle& handle) {
      return file->Read(BlockKind::kMeta, handle);
    });
  }
  if (!index.ok()) return tail;
  tail.index_status = CheckIndex(*file, tail, *index);
  if (tail.index_status.ok()) tail.index = *std::move(index);
  return tail;
}

}  // namespace sstable
