#include "table/salvage/table_scan.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sstable/format.h"
#include "table/metaindex.h"
#include "table/salvage/carved_file.h"
#include "table/salvage/own_blocks.h"
#include "table/salvage/table_scanner.h"
#include "table/salvage/table_tail.h"
#include "util/coding.h"
#include "util/status_util.h"

namespace sstable {

absl::StatusOr<ScannedTable> TableScanner::Run() {
  if (absl::Status status = CheckFormat(); !status.ok()) return status;
  tail_ = ReadTail(&file_);
  RETURN_IF_ERROR(AtPlace(file_.padded().name(), tail_.format_status));
  if (tail_.index.has_value()) {
    own_ = OwnIndex{*std::move(tail_.index), tail_.footer->index.offset, 0, /*certain=*/true, {}};
    scan_.index_source = IndexSource::kFooter;
    ReadByOffset(own_->entries);
  }
  const auto is_missing = [](const auto& block) { return !block.has_value(); };
  if (!own_.has_value() || std::any_of(found_.begin(), found_.end(), is_missing)) Search();
  if (own_.has_value()) ReportByIndex();
  RETURN_IF_ERROR(file_.limit_status());
  FillScan();
  return ScannedTable{std::move(scan_), file_.TakeBytes(), comparator_};
}

absl::Status TableScanner::CheckFormat() {
  const absl::string_view bytes = file_.bytes();
  if (bytes.size() < sizeof(uint64_t)) return absl::OkStatus();
  const uint64_t magic = DecodeFixed64(bytes.data() + bytes.size() - sizeof(uint64_t));
  scan_.has_magic = magic == kTableMagic;
  const absl::string_view format = ForeignFormatOf(magic);
  if (format.empty()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrFormat(
      "%s: its magic, 0x%016x at offset %d, is that of %s: not a LevelDB table. Its blocks can't "
      "be distinguished here, so entries of its index would be saved as data",
      file_.padded().name(), magic, bytes.size() - sizeof(uint64_t), format));
}

bool TableScanner::IsCopyOf(const BlockHandle& handle, const BlockHandle& other) const {
  return handle.size == other.size && StoredBytes(handle) == StoredBytes(other);
}

bool TableScanner::HasBlocksOfLevelDbsTypes() const {
  return std::any_of(found_.begin(), found_.end(),
                     [](const auto& block) { return block.has_value() && block->type > 1; });
}

void TableScanner::Search() {
  carved_ = CarveFile(&file_, HasBlocksOfLevelDbsTypes());
  scan_.carving_stopped_at = carved_.stopped_at;
  if (!own_.has_value()) {
    own_ = ChooseIndex(carved_, file_.size(), tail_, options_.comparator);
    if (own_.has_value()) UseCarvedIndex();
  }
  OwnBlocks own_blocks =
      FindOwnBlocks(carved_, tail_, own_.has_value() ? &*own_ : nullptr, options_.comparator);
  is_certain_ = std::move(own_blocks.is_certain);
  if (own_blocks.start_in_doubt) scan_.owner_known = false;
  FindMetaindex();
  MarkMetaBlocks();
  if (own_.has_value()) {
    SelectNamedBlocks();
  } else {
    SelectByOffset();
  }
}

void TableScanner::FindMetaindex() {
  if (!tail_.meta_blocks.empty()) return;
  for (size_t n = 0; n < carved_.blocks.size(); ++n) {
    const CarvedBlock& block = carved_.blocks[n];
    const bool is_before_index = own_.has_value() && own_->block == n + 1;
    if (block.kind != CarvedBlock::Kind::kMetaindex || !(is_certain_[n] || is_before_index))
      continue;
    metaindex_ = &block;
    meta_base_ = BaseOf(carved_, n).value_or(0);
    tail_.meta_blocks = MetaBlocksOf(block.index);
  }
}

void TableScanner::MarkMetaBlocks() {
  is_named_meta_.assign(carved_.blocks.size(), false);
  for (const MetaBlock& meta : tail_.meta_blocks) {
    const std::optional<size_t> n = carved_.Find(meta.handle, meta_base_);
    if (!n.has_value()) continue;
    is_named_meta_[*n] = true;
    if (MetaBlockKind(meta.name) == BlockKind::kFilter) continue;
    carved_.blocks[*n].kind = CarvedBlock::Kind::kMeta;
  }
}

void TableScanner::FillScan() {
  scan_.footer_status = std::move(tail_.footer_status);
  scan_.index_status = std::move(tail_.index_status);
  scan_.metaindex_status = std::move(tail_.metaindex_status);
  scan_.meta_blocks = std::move(tail_.meta_blocks);
  scan_.dialect = file_.dialect;
  scan_.read_status = file_.read_status();
  scan_.file_size = file_.size();
}

absl::StatusOr<ScannedTable> ScanTable(const RandomAccessFile& file,
                                       const TableScanOptions& options) {
  if (file.size() > std::numeric_limits<size_t>::max() / 4) {
    return absl::ResourceExhaustedError(absl::StrCat(file.name(), ": too large"));
  }
  return TableScanner(file, options).Run();
}

}  // namespace sstable
