#include "sstable/layout.h"

#include <algorithm>
#include <optional>

#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/block_iterator.h"
#include "table/block/compression.h"
#include "table/block/limits.h"
#include "table/inspect/block_visits.h"
#include "table/inspect/placement.h"
#include "table/table_internals.h"
#include "util/status_util.h"

namespace sstable {
namespace {

class BlockVisitor {
 public:
  BlockVisitor(const TableReader& reader, TableGuard* guard,
               absl::FunctionRef<void(const VisitedBlock&)> visit)
      : reader_(reader), guard_(guard), visit_(visit), keys_(reader.file().size()) {}

  void Visit(BlockKind kind, const BlockHandle& handle, absl::string_view name) {
    BlockInfo info;
    info.kind = kind;
    info.handle = handle;
    info.name = std::string(name);
    raw_ = {};
    parsed_.reset();
    info.status = Read(&info);
    if (kind == BlockKind::kData) {
      if (guard_ != nullptr && info.status.ok()) {
        info.status = guard_->CheckBlock(data_block_, *parsed_);
      }
      ++data_block_;
    }
    visit_({info, raw_, parsed_ ? &*parsed_ : nullptr});
  }

 private:
  absl::Status Read(BlockInfo* info) {
    ASSIGN_OR_RETURN(const StoredBlock stored,
                     ReadStoredBlock(reader_.file(), info->handle, &stored_buffer_));
    info->type = stored.type;
    info->codec = IdentifyCodec(stored.type, stored.bytes, reader_.dialect());
    info->codec_name = CodecName(info->codec, reader_.dialect());
    info->stored_crc = stored.stored_crc;
    info->computed_crc = stored.ComputeCrc();
    // The bytes of a block with a wrong checksum are not to be trusted, so nothing is made of them.
    RETURN_IF_ERROR(CheckCrc(info->stored_crc, info->computed_crc));
    raw_ = stored.bytes;
    if (info->codec != Codec::kNone) {
      raw_ = {};
      const BlockReadOptions options = {/*verify_checksum=*/true,
                                        reader_.options().max_uncompressed_block_size,
                                        reader_.dialect()};
      RETURN_IF_ERROR(UncompressBlock(stored, info->kind, options, &raw_buffer_));
      raw_ = raw_buffer_.view();
    }
    info->raw_size = raw_.size();
    if (info->kind == BlockKind::kFilter || info->kind == BlockKind::kMeta) {
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(parsed_, Block::Parse(raw_));
    info->restart_count = parsed_->restart_count();
    BlockIterator entries(&KeyOrderOf(reader_), *parsed_);
    for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
      ++info->entry_count;
      if (!keys_.Take(entries.key().size())) return KeyBudget::Error();
    }
    return entries.status();
  }

  const TableReader& reader_;
  TableGuard* guard_;      // may be null
  size_t data_block_ = 0;  // the next one
  absl::FunctionRef<void(const VisitedBlock&)> visit_;
  KeyBudget keys_;
  ByteBuffer stored_buffer_;
  ByteBuffer raw_buffer_;
  absl::string_view raw_;
  std::optional<Block> parsed_;
};

}  // namespace

void VisitBlocks(const TableReader& reader, absl::FunctionRef<void(const VisitedBlock&)> visit) {
  VisitBlocks(reader, nullptr, visit);
}

void VisitBlocks(const TableReader& reader, TableGuard* guard,
                 absl::FunctionRef<void(const VisitedBlock&)> visit) {
  BlockVisitor visitor(reader, guard, visit);
  if (const TableIndex* index = IndexOf(reader)) {
    BlockIterator entries(&KeyOrderOf(reader), index->block());
    size_t i = 0;
    for (entries.SeekToFirst(); entries.Valid(); entries.Next(), ++i) {
      visitor.Visit(BlockKind::kData, index->record(i).handle(), entries.key());
    }
  }
  for (const MetaBlock& block : reader.meta_blocks()) {
    visitor.Visit(MetaBlockKind(block.name), block.handle, block.name);
  }
  visitor.Visit(BlockKind::kMetaindex, reader.footer().metaindex, "");
  visitor.Visit(BlockKind::kIndex, reader.footer().index, "");
}

Layout DescribeLayout(const TableReader& reader) {
  Layout layout;
  layout.file_size = reader.file().size();
  layout.index_status = reader.LoadIndex();
  layout.metaindex_status = reader.metaindex_status();
  VisitBlocks(reader,
              [&layout](const VisitedBlock& block) { layout.blocks.push_back(block.info); });
  ArrangeLayout(&layout);
  return layout;
}

void ArrangeLayout(Layout* layout) {
  std::stable_sort(
      layout->blocks.begin(), layout->blocks.end(),
      [](const BlockInfo& a, const BlockInfo& b) { return a.handle.offset < b.handle.offset; });
  const uint64_t footer_offset = layout->file_size - kFooterSize;
  uint64_t end = 0;  // of what the blocks so far claim
  for (const BlockInfo& block : layout->blocks) {
    if (!FitsInFile(block.handle, layout->file_size)) continue;  // its status says so
    const uint64_t start = block.handle.offset;
    const uint64_t block_end = start + block.handle.size + kBlockTrailerSize;
    if (start > end) layout->unreferenced.push_back({end, start - end});
    if (start < end) layout->doubly_used.push_back({start, std::min(end, block_end) - start});
    end = std::max(end, block_end);
  }
  if (end < footer_offset) layout->unreferenced.push_back({end, footer_offset - end});
}

}  // namespace sstable
