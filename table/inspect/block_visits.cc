#include "table/inspect/block_visits.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "table/block/block_io.h"
#include "table/block/block_iterator.h"
#include "table/block/compression.h"
#include "table/block/limits.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "util/bytes.h"
#include "util/status_util.h"

namespace sstable {

namespace {

class BlockVisitor {
 public:
  using Visit = absl::FunctionRef<void(const VisitedBlock&)>;

  BlockVisitor(const TableReader& reader, TableVerifier* verifier)
      : reader_(reader), verifier_(verifier) {}

  void VisitAll(Visit visit) {
    if (const TableIndex* const index = IndexOf(reader_)) {
      BlockIterator entry(&KeyOrderOf(reader_), index->block());
      for (entry.SeekToFirst(); entry.Valid(); entry.Next(), ++data_block_) {
        Show(BlockKind::kData, index->record(data_block_).handle(), entry.key(), visit);
      }
    }
    for (const MetaBlock& block : reader_.meta_blocks()) {
      Show(MetaBlockKind(block.name), block.handle, block.name, visit);
    }
    Show(BlockKind::kMetaindex, reader_.footer().metaindex, "", visit);
    Show(BlockKind::kIndex, reader_.footer().index, "", visit);
  }

 private:
  void Show(BlockKind kind, const BlockHandle& handle, absl::string_view name, Visit visit);
  absl::Status Read(BlockInfo* info);

  const TableReader& reader_;
  TableVerifier* const verifier_;
  const std::shared_ptr<WorkBudget> work_ = WorkOf(reader_);
  WorkMeter meter_{work_};
  size_t data_block_ = 0;
  ByteBuffer stored_buffer_;
  ByteBuffer raw_buffer_;
  absl::string_view raw_;
  std::optional<Block> parsed_;
};

void BlockVisitor::Show(BlockKind kind, const BlockHandle& handle, absl::string_view name,
                        Visit visit) {
  BlockInfo info;
  info.kind = kind;
  info.handle = handle;
  info.name = std::string(name);
  raw_ = {};
  parsed_.reset();
  info.status = Read(&info);
  if (kind == BlockKind::kData && verifier_ != nullptr && info.status.ok()) {
    info.status = verifier_->CheckBlock(data_block_, *parsed_);
  }
  visit({info, raw_, parsed_ ? &*parsed_ : nullptr});
}

absl::Status BlockVisitor::Read(BlockInfo* info) {
  ASSIGN_OR_RETURN(const StoredBlock stored,
                   ReadStoredBlock(reader_.file(), info->handle, &stored_buffer_));
  info->type = stored.type;
  info->codec = IdentifyCodec(stored.type, stored.bytes, reader_.dialect());
  info->codec_name = CodecName(info->codec, reader_.dialect());
  info->stored_crc = stored.stored_crc;
  info->computed_crc = stored.ComputeCrc();
  // The bytes of a block with a wrong checksum can't be trusted, so they are not parsed.
  RETURN_IF_ERROR(CheckCrc(stored, info->computed_crc));
  raw_ = stored.bytes;
  if (info->codec != Codec::kNone) {
    raw_ = {};
    BlockReadOptions options = {/*verify_checksum=*/true,
                                reader_.options().max_uncompressed_block_size, reader_.dialect()};
    options.work = work_.get();
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
    if (!meter_.TakeKey(entries.key().size())) return meter_.Error();
  }
  return entries.status();
}

}  // namespace

void VisitBlocks(const TableReader& reader, TableVerifier* verifier,
                 absl::FunctionRef<void(const VisitedBlock&)> visit) {
  BlockVisitor(reader, verifier).VisitAll(visit);
}

void VisitBlocks(const TableReader& reader, absl::FunctionRef<void(const VisitedBlock&)> visit) {
  VisitBlocks(reader, nullptr, visit);
}

}  // namespace sstable
