#include "table/salvage/table_scan.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sstable/comparator.h"
#include "sstable/format.h"
#include "table/block/index_entries.h"
#include "table/metaindex.h"
#include "table/salvage/byte_coverage.h"
#include "table/salvage/carved_file.h"
#include "table/salvage/key_runs.h"
#include "table/salvage/own_blocks.h"
#include "table/salvage/table_tail.h"
#include "util/coding.h"
#include "util/status_util.h"

namespace sstable {
namespace {

class Scanner {
 public:
  Scanner(const RandomAccessFile& file, const TableScanOptions& options)
      : options_(options), file_(file, options.max_uncompressed_block_size, options.max_work) {}

  absl::StatusOr<ScannedTable> Run() {
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

 private:
  absl::Status CheckFormat() {
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

  // Reads the blocks at the offsets in the index. A block whose keys do not fit the index was
  // written to the wrong place.
  void ReadByOffset(const Index& index) {
    found_.resize(index.size());
    reasons_.assign(index.size(), "");
    const IndexFinder finder(&index, options_.comparator);
    for (size_t i = 0; i < index.size(); ++i) {
      ScannedBlock data;
      absl::Status status = file_.ReadData(index[i].handle, &data);
      if (status.ok() && data.entry_count > 0 &&
          (!finder.MayBeEntryOf(i, data.first_key, data.last_key) ||
           IsCopyOf(index[i].handle, tail_.footer->metaindex))) {
        status = absl::DataLossError("has the keys of another block");
      }
      if (status.ok()) {
        found_[i] = std::move(data);
      } else {
        reasons_[i] = file_.Reason(index[i].handle, status);
      }
    }
  }

  absl::string_view StoredBytes(const BlockHandle& handle) const {
    return file_.bytes().substr(handle.offset, handle.size + kBlockTrailerSize);
  }

  bool IsCopyOf(const BlockHandle& handle, const BlockHandle& other) const {
    return handle.size == other.size && StoredBytes(handle) == StoredBytes(other);
  }

  // Returns true if a block was read whose type byte has a different meaning in RocksDB.
  bool HasBlocksOfLevelDbsTypes() const {
    return std::any_of(found_.begin(), found_.end(),
                       [](const auto& block) { return block.has_value() && block->type > 1; });
  }

  // Finds blocks by their checksums.
  void Search() {
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

  void UseCarvedIndex() {
    scan_.index_source = IndexSource::kCarved;
    CarvedBlock& block = carved_.blocks[*own_->block];
    block.kind = CarvedBlock::Kind::kIndex;
    const uint64_t end = EndOf(block.data.handle);
    const absl::string_view after = file_.bytes().substr(end, kFooterSize);
    const bool has_footer = after.size() == kFooterSize &&
                            DecodeFixed64(after.data() + kFooterHandlesSize) == kTableMagic;
    scan_.has_magic |= has_footer;
    found_.resize(own_->entries.size());
    reasons_.resize(own_->entries.size());
    // A file without a footer may also be the middle of a larger file, cut out of a value.
    if (own_->certain && (own_->base >= 0 || has_footer)) return;
    scan_.owner_known = false;
    const std::string index = absl::StrCat("the index at offset ", own_->offset);
    scan_.doubts.push_back(
        own_->base == 0
            ? absl::StrCat(index, " may be of a table that was a value of another table")
            : absl::StrCat(index, " seems to be of a table that starts at offset ", own_->base,
                           ": either bytes were ", own_->base < 0 ? "removed" : "inserted",
                           " before it, or it was a value of another table"));
  }

  // Searches for the table's metaindex if the footer does not lead to one.
  void FindMetaindex() {
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

  // Marks blocks that the metaindex names as not data. A block with entries in the place of a
  // filter is an exception: it is a data block that was written there by mistake.
  void MarkMetaBlocks() {
    is_named_meta_.assign(carved_.blocks.size(), false);
    for (const MetaBlock& meta : tail_.meta_blocks) {
      const std::optional<size_t> n = carved_.Find(meta.handle, meta_base_);
      if (!n.has_value()) continue;
      is_named_meta_[*n] = true;
      if (MetaBlockKind(meta.name) == BlockKind::kFilter) continue;
      carved_.blocks[*n].kind = CarvedBlock::Kind::kMeta;
    }
  }

  // Assigns blocks to the entries of the index that fit their keys and sizes, certain blocks first.
  void SelectNamedBlocks() {
    const IndexFinder finder(&own_->entries, options_.comparator);
    std::vector<bool> is_doubtful(carved_.blocks.size(), false);
    std::vector<uint64_t> misplaced;  // offsets
    for (const bool certain : {true, false}) {
      for (size_t n = 0; n < carved_.blocks.size(); ++n) {
        if (is_certain_[n] != certain || !IsData(carved_.blocks[n])) continue;
        const ScannedBlock& data = carved_.blocks[n].data;
        auto i = finder.Find(data.handle, data.first_key, data.last_key);
        if (!i.has_value() && own_->base != 0) {
          const uint64_t unmoved = data.handle.offset - static_cast<uint64_t>(own_->base);
          i = finder.Find({unmoved, data.handle.size}, data.first_key, data.last_key);
        }
        if (i.has_value() && !found_[*i].has_value()) {
          found_[*i] = data;
          found_[*i]->certain = certain;
          if (!finder.MayBeEntryOf(*i, data.first_key, data.last_key)) {
            misplaced.push_back(data.handle.offset);
          }
          if (!certain) scan_.owner_known = false;
        } else {
          is_doubtful[n] = !i.has_value() || !IsCopyOf(data.handle, found_[*i]->handle);
        }
      }
    }
    if (!misplaced.empty()) {
      scan_.owner_known = false;
      scan_.doubts.push_back(
          absl::StrFormat("blocks whose keys are not those that the index has for their place: %d, "
                          "the first at offset %d",
                          misplaced.size(), *std::min_element(misplaced.begin(), misplaced.end())));
    }
    uint64_t data_end = 0;
    for (const IndexEntry& entry : own_->entries) {
      data_end = std::max(data_end, EndOf(entry.handle));
    }
    data_end += static_cast<uint64_t>(own_->base);  // may be negative, but the sum is not
    for (size_t n = 0; n < is_doubtful.size(); ++n) {
      if (is_doubtful[n] || (n != own_->block && MayBeData(n, data_end))) {
        scan_.doubtful.push_back(carved_.blocks[n].data);
      }
    }
    // A block without entries has no keys to be found by.
    for (size_t i = 0; i < found_.size(); ++i) {
      const auto n = carved_.Find(own_->entries[i].handle, own_->base);
      if (found_[i].has_value() || !n.has_value()) continue;
      const CarvedBlock& carved = carved_.blocks[*n];
      const bool was_parsed = carved.kind != CarvedBlock::Kind::kMeta;  // not a filter block
      if (was_parsed && carved.data.entry_count == 0) found_[i] = carved.data;
    }
  }

  void ReportByIndex() {
    for (size_t i = 0; i < own_->entries.size(); ++i) {
      const IndexEntry& entry = own_->entries[i];
      if (found_[i].has_value()) {
        scan_.blocks.push_back(*std::move(found_[i]));
        scan_.blocks.back().index_key = entry.key;
        continue;
      }
      LostRange lost;
      lost.is_block = true;
      lost.offset = entry.handle.offset;
      lost.size = entry.handle.size;
      lost.reason = reasons_[i].empty() ? ReasonAt(entry.handle, own_->base) : reasons_[i];
      if (i > 0) lost.after = own_->entries[i - 1].key;
      lost.until = entry.key;
      scan_.lost.push_back(std::move(lost));
    }
    // For an index that the footer leads to, ReadTail() has done this.
    if (scan_.index_source == IndexSource::kCarved && scan_.lost.empty()) FindUnexplained();
    scan_.extent_known = scan_.doubts.empty();
  }

  std::string ReasonAt(BlockHandle handle, int64_t base) {
    if (base < 0 && handle.offset < static_cast<uint64_t>(-base)) {
      return absl::StrCat("apparently before the start of the file, of which ", -base,
                          " bytes seem to be missing");
    }
    handle.offset += static_cast<uint64_t>(base);
    ScannedBlock unused;
    return file_.Reason(handle, file_.ReadData(handle, &unused));
  }

  // Reports bytes that are neither in a data block of the index nor in a block after all of these:
  // they may have been a data block of a newer version of the table.
  void FindUnexplained() {
    if (file_.dialect == CompressionNumbering::kRocksDb) return;  // may have bytes between blocks
    ByteCoverage explained;
    uint64_t data_end = 0;
    for (const ScannedBlock& block : scan_.blocks) {
      explained.Add(block.handle);
      data_end = std::max(data_end, EndOf(block.handle));
    }
    for (size_t n = carved_.LowerBound(data_end); n < carved_.blocks.size(); ++n) {
      if (!IsData(carved_.blocks[n])) explained.Add(carved_.blocks[n].data.handle);
    }
    if (metaindex_ != nullptr && own_->base == 0) {  // a filter may be damaged
      for (const MetaBlock& meta : tail_.meta_blocks) explained.Add(meta.handle);
    }
    // The footer, or what is left of it, follows the index.
    const uint64_t index_end = EndOf(carved_.blocks[*own_->block].data.handle);
    explained.Add(index_end, std::min(index_end + kFooterSize, file_.size()));
    explained.VisitGaps(file_.size(), [&](uint64_t start, uint64_t gap_end) {
      scan_.doubts.push_back(absl::StrFormat(
          "bytes %d to %d are in no block that the table's index names%s", start, gap_end - 1,
          file_.IsZeros(start, gap_end - start) ? "; they are zeros" : ""));
    });
  }

  // Without an index: keeps the data blocks in the order of the file, and reports the bytes between
  // them. Data ends at the metaindex block, if its offset is known.
  void SelectByOffset() {
    uint64_t limit = file_.size();
    if (tail_.footer.has_value() && tail_.shift == 0) limit = tail_.footer->metaindex.offset;
    if (metaindex_ != nullptr) limit = std::min(limit, metaindex_->data.handle.offset);
    const ConsistentBlocks consistent =
        FindConsistent(carved_, is_certain_, options_.comparator, options_.key_kind);
    const std::vector<bool>& is_consistent = consistent.is_consistent;
    comparator_ = consistent.comparator;
    size_t last_data = 0;
    absl::flat_hash_map<absl::string_view, uint64_t> taken;  // offsets, by the stored bytes
    for (size_t n = 0; n < carved_.blocks.size(); ++n) {
      if (!IsData(carved_.blocks[n])) continue;
      last_data = n;
      const ScannedBlock& data = carved_.blocks[n].data;
      if (is_consistent[n] && !data.may_be_index) {
        taken.emplace(StoredBytes(data.handle), data.handle.offset);
      }
    }
    ByteCoverage covered;
    bool is_explained = !scan_.carving_stopped_at.has_value();
    for (size_t n = 0; n < carved_.blocks.size(); ++n) {
      const CarvedBlock& carved = carved_.blocks[n];
      bool is_doubtful = IsData(carved) ? !is_consistent[n] : MayBeData(n, limit);
      if (IsData(carved) && carved.data.may_be_index && !is_doubtful) {
        is_doubtful = !IsBeforeMetaindex(n) && n == last_data;
        ReportPossibleIndex(carved.data.handle, is_doubtful);
      }
      if (is_doubtful) {
        const auto copy = taken.find(StoredBytes(carved.data.handle));
        if (!IsData(carved) || copy == taken.end()) {
          scan_.doubtful.push_back(carved.data);
          continue;
        }
        scan_.doubts.push_back(
            absl::StrCat("the block at offset ", carved.data.handle.offset,
                         " is a copy of that at offset ", copy->second,
                         ", which is saved; one of them may have been written over another block"));
        covered.Add(carved.data.handle);
        is_explained = false;
        continue;
      }
      covered.Add(carved.data.handle);
      const bool is_data = carved.kind == CarvedBlock::Kind::kData && !carved.data.may_be_index;
      if (is_data ? carved.data.handle.offset > limit : IsAmongData(n, limit)) {
        is_explained = false;
      }
      if (!IsData(carved)) continue;
      scan_.blocks.push_back(carved.data);
      scan_.blocks.back().certain = is_certain_[n] && !carved.data.may_be_index;
      if (!scan_.blocks.back().certain) scan_.owner_known = false;
    }
    if (tail_.metaindex_status.ok()) {
      for (const MetaBlock& meta : tail_.meta_blocks) covered.Add(meta.handle);
      // Only RocksDB puts the index before the metaindex. In other files the footer then names the
      // wrong block, which may be a data block unless it is an index.
      if (file_.dialect == CompressionNumbering::kRocksDb && tail_.footer->index.offset < limit) {
        covered.Add(tail_.footer->index);
        is_explained &= tail_.index_status.ok();
      }
    }
    covered.VisitGaps(limit, [&](uint64_t start, uint64_t end) { AddGap(start, end); });
    const bool is_filter_there =
        metaindex_ != nullptr &&
        std::any_of(metaindex_->index.begin(), metaindex_->index.end(),
                    [this](const IndexEntry& e) { return carved_.Find(e.handle, 0).has_value(); });
    const bool is_end_known =
        (tail_.IsWhole() && limit == tail_.footer->metaindex.offset) || is_filter_there;
    scan_.extent_known = is_explained && scan_.lost.empty() && is_end_known;
  }

  bool IsBeforeMetaindex(size_t n) const {
    return is_certain_[n] && tail_.IsWhole() && file_.dialect == CompressionNumbering::kLevelDb &&
           carved_.blocks[n].data.handle.offset < tail_.footer->metaindex.offset;
  }

  // A block whose values are handles may be the index, of a table with one block or with a damaged
  // entry. If it is the index, neither the metaindex nor data follows it.
  void ReportPossibleIndex(const BlockHandle& handle, bool is_left_out) {
    scan_.doubts.push_back(
        absl::StrCat("the block at offset ", handle.offset, " (", handle.size,
                     " bytes) may be an index, since values in it are handles; it is ",
                     is_left_out ? "left out, since no data follows it"
                                 : "taken for data, since data or the metaindex follows it"));
  }

  // Returns true if block `n`, which is not data or may not be, is where only data is expected. It
  // may be a copy that was written over a data block.
  bool IsAmongData(size_t n, uint64_t limit) const {
    const CarvedBlock& carved = carved_.blocks[n];
    const BlockHandle& handle = carved.data.handle;
    if (carved.data.may_be_index) return true;
    if (handle.offset >= limit) return false;
    if (carved.kind == CarvedBlock::Kind::kMeta) return !is_named_meta_[n];
    return !(tail_.footer.has_value() && handle == tail_.footer->index);
  }

  // Returns true if a block of entries among data blocks looks like an index or metaindex, but
  // leads to no block that was found, so it may be data.
  bool MayBeData(size_t n, uint64_t limit) const {
    const CarvedBlock& carved = carved_.blocks[n];
    const bool is_in_footer = tail_.footer.has_value() && tail_.metaindex_status.ok() &&
                              carved.data.handle == tail_.footer->metaindex;
    if (IsData(carved) || carved.data.entry_count == 0 || is_in_footer) return false;
    const int64_t base = BaseOf(carved_, n).value_or(0);
    return IsAmongData(n, limit) &&
           std::none_of(carved.index.begin(), carved.index.end(), [&](const IndexEntry& entry) {
             return carved_.Find(entry.handle, base).has_value();
           });
  }

  void AddGap(uint64_t offset, uint64_t end) {
    LostRange lost;
    lost.offset = offset;
    lost.size = end - offset;
    const auto unreadable = carved_.unreadable.find(offset);
    if (unreadable != carved_.unreadable.end() &&
        unreadable->second.size + kBlockTrailerSize == lost.size) {
      lost.is_block = true;
      lost.size = unreadable->second.size;
      lost.reason = unreadable->second.reason;
    } else if (scan_.carving_stopped_at.value_or(end) < end) {
      lost.reason = "the search for blocks was abandoned";
    } else if (file_.IsZeros(offset, lost.size)) {
      lost.reason = "zeros";
    } else {
      const size_t n = carved_.LowerBound(offset);
      lost.reason = n < carved_.blocks.size() && carved_.blocks[n].data.handle.offset < end
                        ? "the intact blocks in it may not be the table's, and are left out"
                        : "no block with a correct checksum is in it";
    }
    const auto next = std::lower_bound(
        scan_.blocks.begin(), scan_.blocks.end(), end,
        [](const ScannedBlock& block, uint64_t at) { return block.handle.offset < at; });
    if (next != scan_.blocks.begin()) lost.after = (next - 1)->last_key;
    if (next != scan_.blocks.end()) lost.until = next->first_key;
    scan_.lost.push_back(std::move(lost));
  }

  void FillScan() {
    scan_.footer_status = std::move(tail_.footer_status);
    scan_.index_status = std::move(tail_.index_status);
    scan_.metaindex_status = std::move(tail_.metaindex_status);
    scan_.meta_blocks = std::move(tail_.meta_blocks);
    scan_.dialect = file_.dialect;
    scan_.read_status = file_.read_status();
    scan_.file_size = file_.size();
  }

  const TableScanOptions& options_;
  ScannedFile file_;
  TableScan scan_;
  const Comparator* comparator_ = nullptr;  // as in ScannedTable
  TableTail tail_;
  std::optional<OwnIndex> own_;
  std::vector<std::optional<ScannedBlock>> found_;  // by entry of own_
  std::vector<std::string> reasons_;                // for entries of own_ without a block

  // Only after a search:
  CarvedFile carved_;
  std::vector<bool> is_certain_;            // by carved block: it certainly is the table's
  std::vector<bool> is_named_meta_;         // by carved block: the metaindex names it
  const CarvedBlock* metaindex_ = nullptr;  // only if the footer does not lead to one
  int64_t meta_base_ = 0;                   // file offset to which its handles are relative
};

}  // namespace

absl::StatusOr<ScannedTable> ScanTable(const RandomAccessFile& file,
                                       const TableScanOptions& options) {
  if (file.size() > std::numeric_limits<size_t>::max() / 4) {
    return absl::ResourceExhaustedError(absl::StrCat(file.name(), ": too large"));
  }
  return Scanner(file, options).Run();
}

}  // namespace sstable
