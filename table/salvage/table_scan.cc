#include "table/salvage/table_scan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/salvage/carve.h"
#include "table/salvage/carved_block.h"
#include "table/block/index_entries.h"
#include "table/block/limits.h"
#include "table/inspect/placement.h"

namespace sstable {
namespace {

class Scanner {
 public:
  Scanner(const RandomAccessFile& file, const TableScanOptions& options)
      : options_(options),
        file_(file, options.max_uncompressed_block_size),
        wasted_work_(kFreeWork + kWorkPerByte * file.size()) {}

  TableScan Run() {
    ReadTail();
    if (index_.has_value()) PlaceByOffset();
    if (!index_.has_value() || HasMissingBlocks()) Carve();
    if (!index_.has_value()) TakeBestIndex();
    if (index_.has_value()) {
      PlaceByKey();
      TellByIndex();
    } else {
      TellByOffset();
    }
    scan_.dialect = file_.dialect;
    scan_.read_status = file_.read_status();
    scan_.file_size = file_.size();
    scan_.bytes = file_.TakeBytes();
    return std::move(scan_);
  }

 private:
  void TakeMetaindex(const Index& metaindex) {
    for (const IndexEntry& entry : metaindex) {
      scan_.meta_blocks.push_back({entry.key, entry.handle});
      meta_sizes_.emplace(entry.handle.offset, entry.handle.size);
      if (absl::StartsWith(entry.key, kRocksDbKeyPrefix)) file_.dialect = TypeByteDialect::kRocksDb;
    }
  }

  // Footer, metaindex and index where they belong.
  void ReadTail() {
    const size_t footer_size = std::min<size_t>(kFooterSize, file_.bytes().size());
    absl::StatusOr<Footer> footer =
        Footer::Parse(file_.bytes().substr(file_.bytes().size() - footer_size), file_.size());
    scan_.footer_status = footer.status();
    if (!footer.ok()) {
      scan_.index_status = scan_.metaindex_status =
          absl::NotFoundError("no footer tells where it is");
      return;
    }
    footer_ = *footer;
    const absl::StatusOr<Index> metaindex =
        file_.ReadHandles(BlockKind::kMetaindex, footer_->metaindex);
    absl::StatusOr<Index> index = file_.ReadHandles(BlockKind::kIndex, footer_->index);
    scan_.metaindex_status = metaindex.status();
    scan_.index_status = index.status();
    if (metaindex.ok() && IsRatherIndex(*metaindex, index.ok() ? &*index : nullptr)) {
      scan_.metaindex_status = absl::DataLossError("is rather the index block");
    } else if (metaindex.ok()) {
      TakeMetaindex(*metaindex);
    }
    if (!index.ok()) return;
    scan_.index_status = CheckIndex(*index);
    if (scan_.index_status.ok()) return TakeIndex(*std::move(index), IndexSource::kFooter);
    // The footer has no checksum: this may be another block, or another table's index.
    SortByOffset(&*index);
    suspect_ = *std::move(index);
  }

  absl::Status CheckIndex(const Index& index) const {
    std::vector<BlockHandle> blocks;
    for (const IndexEntry& entry : index) {
      if (!file_.IsInside(entry.handle)) {
        return absl::DataLossError("its blocks are not in the file");
      }
      blocks.push_back(entry.handle);
    }
    return CheckExtent(blocks, *footer_, scan_.metaindex_status, scan_.meta_blocks, file_.dialect);
  }

  // Whether the footer takes the index for the metaindex. `index`: what it takes for the index, if
  // that can be read. Only RocksDB's tables have the metaindex behind it.
  bool IsRatherIndex(const Index& metaindex, const Index* index) const {
    const auto is_meta = [](const IndexEntry& entry) { return IsMetaName(entry.key); };
    if (std::any_of(metaindex.begin(), metaindex.end(), is_meta)) return false;
    return footer_->metaindex.offset > footer_->index.offset ||
           (!metaindex.empty() && index != nullptr && !index->empty() &&
            std::all_of(index->begin(), index->end(), is_meta));
  }

  void TakeIndex(Index index, IndexSource source) {
    index_ = std::move(index);
    scan_.index_source = source;
    found_.assign(index_->size(), std::nullopt);
    reasons_.assign(index_->size(), "");
  }

  // A block with other keys than the index says has been written to the wrong place.
  void PlaceByOffset() {
    const IndexFinder finder(&*index_, options_.comparator);
    for (size_t i = 0; i < index_->size(); ++i) {
      if (found_[i].has_value()) continue;
      ScannedBlock data;
      absl::Status status = file_.ReadData((*index_)[i].handle, &data);
      if (status.ok() && data.entry_count > 0 &&
          !finder.IsPlaceOf(i, data.first_key, data.last_key)) {
        status = absl::DataLossError("has the keys of another block");
      }
      if (status.ok()) {
        found_[i] = std::move(data);
      } else {
        reasons_[i] = file_.Reason((*index_)[i].handle, status);
      }
    }
  }

  bool HasMissingBlocks() const {
    return std::any_of(found_.begin(), found_.end(),
                       [](const std::optional<ScannedBlock>& block) { return !block; });
  }

  // Whether blocks could be read that RocksDB's type bytes would make something else of.
  bool HasBlocksOfLevelDbsTypes() const {
    return std::any_of(found_.begin(), found_.end(), [](const std::optional<ScannedBlock>& block) {
      return block && block->type > 1;
    });
  }

  void Carve() {
    for (;;) {
      file_.StartPass();
      const CarveResult result = CarveBlocks(
          file_.bytes(),
          [this](const BlockHandle& handle, bool adjacent) { return TryBlock(handle, adjacent); });
      scan_.carving_stopped_at = result.stopped_at;
      // Type bytes mean something else in RocksDB's files, and what tells stands at their end.
      if (file_.dialect == TypeByteDialect::kRocksDb || HasBlocksOfLevelDbsTypes() ||
          std::none_of(carved_.begin(), carved_.end(), [](const CarvedBlock& carved) {
            return carved.kind != CarvedBlock::Kind::kData &&
                   absl::StartsWith(carved.data.last_key, kRocksDbKeyPrefix);
          })) {
        return;
      }
      file_.dialect = TypeByteDialect::kRocksDb;
      carved_.clear();
      unreadable_.clear();
    }
  }

  CarveVerdict TryBlock(const BlockHandle& handle, bool adjacent) {
    if (out_of_work_) return CarveVerdict::kStop;
    const absl::StatusOr<BlockContents> contents = file_.Read(BlockKind::kData, handle);
    CarvedBlock carved;
    const absl::Status status =
        contents.ok() ? file_.ParseData(handle, *contents, &carved.data) : contents.status();
    if (status.ok()) {
      Classify(carved_, *contents, &file_, &carved);
      carved_.push_back(std::move(carved));
      return CarveVerdict::kBlock;
    }
    out_of_work_ = !wasted_work_.Take(handle.size + (contents.ok() ? contents->buffer.size() : 0));
    if (!adjacent) return CarveVerdict::kNoBlock;
    ByteBuffer buffer;
    const absl::StatusOr<StoredBlock> stored = ReadStoredBlock(file_.padded(), handle, &buffer);
    if (stored.ok() && MayBeFilterBlock(*stored)) {
      carved.kind = CarvedBlock::Kind::kMeta;
      carved.data.handle = handle;
      carved_.push_back(std::move(carved));
      return CarveVerdict::kBlock;
    }
    unreadable_.emplace(handle.offset, std::make_pair(handle.size, file_.Reason(handle, status)));
    return CarveVerdict::kNoBlock;
  }

  // How many of the carved data blocks an index knows, by place or by key.
  size_t CountNamed(const Index& index) const {
    const IndexFinder finder(&index, options_.comparator);
    size_t count = 0;
    for (const CarvedBlock& carved : carved_) {
      const ScannedBlock& data = carved.data;
      if (IsData(carved) && finder.Find(data.handle, data.first_key, data.last_key).has_value()) {
        ++count;
      }
    }
    return count;
  }

  bool IsData(const CarvedBlock& carved) const {
    return carved.kind == CarvedBlock::Kind::kData && carved.data.entry_count > 0 &&
           !IsNamedMeta(carved.data.handle);
  }
  bool IsNamedMeta(const BlockHandle& handle) const {
    const auto meta = meta_sizes_.find(handle.offset);
    return meta != meta_sizes_.end() && meta->second == handle.size;
  }

  // The index that knows most of the blocks, if it knows half of them: a carved one, or the
  // footer's.
  void TakeBestIndex() {
    const auto data_blocks = static_cast<size_t>(std::count_if(
        carved_.begin(), carved_.end(), [this](const CarvedBlock& c) { return IsData(c); }));
    CarvedBlock* best = nullptr;
    const size_t suspect_count = suspect_.has_value() ? CountNamed(*suspect_) : 0;
    size_t best_count = suspect_count;
    int candidates = 0;
    for (auto carved = carved_.rbegin(); carved != carved_.rend(); ++carved) {
      if (carved->kind != CarvedBlock::Kind::kIndex) continue;
      if (++candidates > kMaxCandidateIndexes) break;
      const size_t count = CountNamed(carved->index);
      if (2 * count < data_blocks || count < best_count) continue;
      if (best != nullptr && count == best_count) continue;
      best = &*carved;
      best_count = count;
    }
    const CarvedBlock* metaindex = nullptr;  // the last one
    for (const CarvedBlock& carved : carved_) {
      if (carved.kind == CarvedBlock::Kind::kMetaindex) metaindex = &carved;
    }
    if (metaindex != nullptr && scan_.meta_blocks.empty()) {
      TakeMetaindex(metaindex->index);
      carved_metaindex_ = metaindex->data.handle;
    }
    if (best != nullptr) {
      TakeIndex(std::move(best->index), IndexSource::kCarved);
    } else if (suspect_count > 0 && 2 * suspect_count >= data_blocks) {
      TakeIndex(*std::move(suspect_), IndexSource::kFooter);
      meta_sizes_.emplace(footer_->index.offset, footer_->index.size);
    }
  }

  // Gives carved blocks the place that the index has for them.
  void PlaceByKey() {
    const IndexFinder finder(&*index_, options_.comparator);
    for (CarvedBlock& carved : carved_) {
      if (!IsData(carved)) continue;
      const ScannedBlock& data = carved.data;
      const std::optional<size_t> i = finder.Find(data.handle, data.first_key, data.last_key);
      if (!i.has_value()) {
        ++scan_.unnamed_blocks;
      } else if (!found_[*i].has_value()) {
        found_[*i] = std::move(carved.data);
      }
    }
  }

  void TellByIndex() {
    scan_.extent_known = true;
    for (size_t i = 0; i < index_->size(); ++i) {
      IndexEntry& entry = (*index_)[i];
      if (found_[i].has_value()) {
        scan_.blocks.push_back(*std::move(found_[i]));
        scan_.blocks.back().index_key = entry.key;
        continue;
      }
      LostRange lost;
      lost.is_block = true;
      lost.offset = entry.handle.offset;
      lost.size = entry.handle.size;
      lost.reason = reasons_[i];
      if (lost.reason.empty()) {
        ScannedBlock unused;
        lost.reason = file_.Reason(entry.handle, file_.ReadData(entry.handle, &unused));
      }
      if (i > 0) lost.after = (*index_)[i - 1].key;
      lost.until = entry.key;
      scan_.lost.push_back(std::move(lost));
    }
  }

  // Where data blocks can be: up to the metaindex block, if it is known where that is, and not
  // where it says that other blocks are.
  void TellByOffset() {
    std::map<uint64_t, uint64_t> covered;  // offset to end
    uint64_t limit = file_.size();
    if (footer_.has_value()) limit = footer_->metaindex.offset;
    if (carved_metaindex_.has_value()) limit = std::min(limit, carved_metaindex_->offset);
    bool filter_in_place = false, has_doubtful_block = false;
    for (CarvedBlock& carved : carved_) {
      const BlockHandle handle = carved.data.handle;
      covered.emplace(handle.offset, EndOf(handle));
      if (carved.may_be_index || IsOutOfPlace(carved, limit)) has_doubtful_block = true;
      if (carved_metaindex_.has_value() && IsNamedMeta(handle)) filter_in_place = true;
      if (carved.kind == CarvedBlock::Kind::kMeta && carved.data.entry_count > 0 &&
          !IsNamedMeta(handle)) {
        ++scan_.unnamed_blocks;
      }
      if (IsData(carved)) scan_.blocks.push_back(std::move(carved.data));
    }
    if (scan_.metaindex_status.ok()) {
      for (const MetaBlock& meta : scan_.meta_blocks) {
        covered.emplace(meta.handle.offset, EndOf(meta.handle));
      }
      // Only RocksDB has the index in front of the metaindex. Elsewhere the footer means another
      // block; and there it may, if it is no index.
      if (file_.dialect == TypeByteDialect::kRocksDb && footer_->index.offset < limit) {
        covered.emplace(footer_->index.offset, EndOf(footer_->index));
        if (!scan_.index_status.ok()) has_doubtful_block = true;
      }
    }
    uint64_t end = 0;
    for (const auto& [offset, block_end] : covered) {
      if (offset >= limit) break;
      if (offset > end) AddGap(end, offset);
      end = std::max(end, block_end);
    }
    if (end < limit) AddGap(end, limit);
    const bool is_behind = !scan_.blocks.empty() && scan_.blocks.back().handle.offset > limit;
    scan_.extent_known = !scan_.carving_stopped_at.has_value() && !has_doubtful_block &&
                         !is_behind &&
                         ((IsTailWhole() && end == limit && limit == footer_->metaindex.offset) ||
                          (filter_in_place && end == limit));
  }

  // Whether a block stands where a data block may have been.
  bool IsOutOfPlace(const CarvedBlock& carved, uint64_t data_limit) const {
    const bool is_index =
        carved.kind == CarvedBlock::Kind::kIndex || carved.kind == CarvedBlock::Kind::kMetaindex;
    return is_index && carved.data.handle.offset < data_limit &&
           !(footer_.has_value() && carved.data.handle == footer_->index);
  }

  // Whether the footer is right about the metaindex block: it is there, or it would fit in exactly.
  bool IsTailWhole() const {
    if (!footer_.has_value()) return false;
    return scan_.metaindex_status.ok() || (EndOf(footer_->metaindex) == footer_->index.offset &&
                                           EndOf(footer_->index) == file_.size() - kFooterSize);
  }

  void AddGap(uint64_t offset, uint64_t end) {
    LostRange lost;
    lost.offset = offset;
    lost.size = end - offset;
    const auto unreadable = unreadable_.find(offset);
    if (unreadable != unreadable_.end() &&
        unreadable->second.first + kBlockTrailerSize == lost.size) {
      lost.is_block = true;
      lost.size = unreadable->second.first;
      lost.reason = unreadable->second.second;
    } else if (scan_.carving_stopped_at.value_or(end) < end) {
      lost.reason = "the search for blocks was given up";
    } else if (file_.IsZeros(offset, lost.size)) {
      lost.reason = "zeros";
    } else {
      lost.reason = "no block in it has its checksum";
    }
    const auto next = std::lower_bound(
        scan_.blocks.begin(), scan_.blocks.end(), end,
        [](const ScannedBlock& block, uint64_t at) { return block.handle.offset < at; });
    if (next != scan_.blocks.begin()) lost.after = (next - 1)->last_key;
    if (next != scan_.blocks.end()) lost.until = next->first_key;
    scan_.lost.push_back(std::move(lost));
  }

  // Bytes of what was carved, and is no block after all: only a file made for it has so many.
  static constexpr uint64_t kFreeWork = uint64_t{128} << 20;
  static constexpr uint64_t kWorkPerByte = 64;

  static constexpr int kMaxCandidateIndexes = 16;

  const TableScanOptions& options_;
  ScannedFile file_;
  TableScan scan_;
  std::optional<Footer> footer_;

  std::optional<Index> index_;
  std::optional<Index> suspect_;  // the footer's, if it does not account for the file
  std::vector<std::optional<ScannedBlock>> found_;  // by place in the index
  std::vector<std::string> reasons_;                // where it is not found

  std::vector<CarvedBlock> carved_;
  std::optional<BlockHandle> carved_metaindex_;  // only if there was none where the footer says
  std::map<uint64_t, std::pair<uint64_t, std::string>> unreadable_;  // offset to size and reason
  std::map<uint64_t, uint64_t> meta_sizes_;  // of scan_.meta_blocks: offset to size
  Budget wasted_work_;
  bool out_of_work_ = false;
};

}  // namespace

absl::StatusOr<TableScan> ScanTable(const RandomAccessFile& file, const TableScanOptions& options) {
  if (file.size() > std::numeric_limits<size_t>::max() / 4) {
    return absl::ResourceExhaustedError(absl::StrCat(file.name(), ": too large"));
  }
  return Scanner(file, options).Run();
}

}  // namespace sstable
