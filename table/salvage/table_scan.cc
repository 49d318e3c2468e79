#include "table/salvage/table_scan.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "table/block/index_entries.h"
#include "table/salvage/block_chain.h"
#include "table/salvage/block_places.h"
#include "table/salvage/byte_coverage.h"
#include "table/salvage/carved_file.h"
#include "table/salvage/found_tables.h"
#include "table/salvage/offset_scan.h"
#include "table/salvage/table_tail.h"
#include "util/coding.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// The index that is taken to be the table's own.
struct OwnIndex {
  Index entries;
  IndexSource source = IndexSource::kNone;
  int64_t base = 0;     // file offset from which its handles count
  uint64_t offset = 0;  // file offset of its block
  // For a carved index only:
  uint64_t table_end = 0;  // end of the footer, or of the index block
  bool has_footer = false;
};

class Scanner {
 public:
  Scanner(const RandomAccessFile& file, const TableScanOptions& options)
      : options_(options), file_(file, options.max_uncompressed_block_size, options.max_work) {}

  ByteBuffer TakeBytes() { return file_.TakeBytes(); }

  absl::StatusOr<TableScan> Run() {
    if (absl::Status status = CheckFormat(); !status.ok()) return status;
    tail_ = ReadTail(&file_);
    RETURN_IF_ERROR(AtPlace(file_.padded().name(), tail_.format_status));
    std::vector<std::optional<ScannedBlock>> found;
    std::optional<OwnIndex> own;
    if (tail_.index.has_value()) {
      own = OwnIndex{*std::move(tail_.index), IndexSource::kFooter, 0, tail_.footer->index.offset};
      found = ReadByOffset(own->entries);
    }
    const auto is_missing = [](const auto& block) { return !block.has_value(); };
    const bool is_whole = own.has_value() && std::none_of(found.begin(), found.end(), is_missing);
    if (!is_whole) {
      carved_ = CarveFile(&file_, HasBlocksOfLevelDbsTypes(found));
      scan_.carving_stopped_at = carved_.stopped_at;
      if (!own.has_value()) own = ChooseIndex();
      if (own.has_value()) found = Place(*own, std::move(found));
    }
    if (own.has_value()) {
      SayByIndex(*own, std::move(found));
    } else {
      ScanByOffset(chain_, tables_, options_.comparator, &file_, &carved_, &tail_, &scan_);
    }
    RETURN_IF_ERROR(file_.limit_status());
    TakeResults();
    return std::move(scan_);
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

  // Phase 1: reads the blocks that are where the index has them. A block whose keys differ from the
  // index was written to the wrong place.
  std::vector<std::optional<ScannedBlock>> ReadByOffset(const Index& index) {
    std::vector<std::optional<ScannedBlock>> found(index.size());
    reasons_.assign(index.size(), "");
    const IndexFinder finder(&index, options_.comparator);
    for (size_t i = 0; i < index.size(); ++i) {
      ScannedBlock data;
      absl::Status status = file_.ReadData(index[i].handle, &data);
      if (status.ok() && data.entry_count > 0 &&
          (!finder.IsPlaceOf(i, data.first_key, data.last_key) ||
           IsCopyOf(index[i].handle, tail_.footer->metaindex))) {
        status = absl::DataLossError("has the keys of another block");
      }
      if (status.ok()) {
        found[i] = std::move(data);
      } else {
        reasons_[i] = file_.Reason(index[i].handle, status);
      }
    }
    return found;
  }

  bool IsCopyOf(const BlockHandle& handle, const BlockHandle& other) const {
    const auto stored = [this](const BlockHandle& block) {
      return file_.bytes().substr(block.offset, block.size + kBlockTrailerSize);
    };
    return handle.size == other.size && stored(handle) == stored(other);
  }

  // Returns true if a block was read whose type byte means something else to RocksDB.
  static bool HasBlocksOfLevelDbsTypes(const std::vector<std::optional<ScannedBlock>>& found) {
    return std::any_of(found.begin(), found.end(),
                       [](const auto& block) { return block.has_value() && block->type > 1; });
  }

  // Sets the limit from the last block that the index of a table names, if it is there.
  void LimitByIndex(const FoundTable& table, BlockChainOptions* options) const {
    const CarvedBlock* const last_data = carved_.Find(table.index->index.back().handle, table.base);
    if (last_data == nullptr) return;
    options->limit = EndOf(last_data->data.handle);
    options->limit_known = true;
  }

  // Sets the limit from the footer at the end of the file: that of `last`, if the blocks that it
  // names are there.
  BlockChainOptions ChainOptions(const FoundTable* last) const {
    BlockChainOptions options;
    options.limit = file_.size();
    // No block extends beyond a footer, unless that ends a table inside a value, whose first block
    // shows where it starts.
    const bool ends_with_inner =
        last == nullptr && !tables_.empty() && tables_.back().footer &&
        tables_.back().end == file_.size() &&
        carved_.Find(static_cast<uint64_t>(tables_.back().base)) != nullptr;
    options.may_be_cut = !scan_.has_magic || ends_with_inner;
    const int64_t base = last != nullptr ? last->base : 0;
    if (last != nullptr) options.starts_at_zero = base == 0;
    if (last != nullptr && !last->footer.has_value()) {
      LimitByIndex(*last, &options);
      return options;
    }
    if (last == nullptr && !tail_.footer.has_value()) return options;
    if (last == nullptr) options.starts_at_zero = tail_.shift >= 0;
    const Footer& footer = last != nullptr ? *last->footer : *tail_.footer;
    const CarvedBlock* metaindex = carved_.Find(footer.metaindex, base);
    if (metaindex != nullptr && metaindex->kind != CarvedBlock::Kind::kMetaindex &&
        metaindex->data.entry_count > 0) {
      metaindex = nullptr;
    }
    const Index no_meta_blocks;
    const Index& meta_blocks = metaindex != nullptr ? metaindex->index : no_meta_blocks;
    // If bytes are missing, they may be missing between two blocks that the footer leads to.
    const bool may_have_gap =
        base != 0 && (metaindex == nullptr ||
                      std::any_of(meta_blocks.begin(), meta_blocks.end(), [&](const auto& meta) {
                        return carved_.Find(meta.handle, base) == nullptr;
                      }));
    const bool is_consistent = EndOf(footer.metaindex) == footer.index.offset;
    if (may_have_gap || (metaindex == nullptr && !is_consistent)) return options;
    if (last == nullptr && !tail_.IsWhole()) return options;
    uint64_t limit = std::min(footer.metaindex.offset, footer.index.offset);
    for (const IndexEntry& meta : meta_blocks) limit = std::min(limit, meta.handle.offset);
    options.limit = static_cast<uint64_t>(std::max<int64_t>(0, static_cast<int64_t>(limit) + base));
    options.limit_known = true;
    if (last != nullptr && last->index != nullptr && !last->index->index.empty()) {
      const BlockHandle& handle = last->index->index.back().handle;
      if (EndOf(handle) == limit) options.last_size = handle.size;
    }
    return options;
  }

  // Phase 2, without an index where the footer has it: chooses the table's index among the carved
  // ones; else the footer's, though it does not account for the file.
  std::optional<OwnIndex> ChooseIndex() {
    tables_ = FindTables(file_, carved_, options_.comparator);
    const FoundTable* const last = FindLastTable(tables_, file_.size());
    chain_ = FollowChain(file_, carved_, ChainOptions(last));
    for (const FoundTable& table : tables_) scan_.has_magic |= table.footer.has_value();
    const OwnTable chosen =
        ChooseOwnTable(tables_, last, file_.bytes(), carved_, chain_, options_.comparator);
    if (chosen.table != nullptr) {
      const FoundTable& table = *chosen.table;
      OwnIndex own = {table.index->index, IndexSource::kCarved,
                      table.base,         table.index->data.handle.offset,
                      table.end,          table.footer.has_value()};
      if (!chosen.certain) {
        scan_.owner_known = false;
        scan_.doubts.push_back(
            absl::StrCat("the table was taken from offsets ", table.base, " to ", table.end,
                         " of the file: either the other bytes are not part of it, or it was a "
                         "value of another table, which is lost"));
      } else if (table.base < 0 && (last == nullptr || !last->footer.has_value())) {
        // A file that is cut at both ends within a value looks the same.
        scan_.owner_known = false;
        scan_.doubts.push_back(
            absl::StrCat("the table seems to have lost ", -table.base,
                         " bytes at its start; as the file does not end with its footer, it may "
                         "also have been a value of another table, which is lost"));
      }
      return own;
    }
    return ChooseSuspect();
  }

  std::optional<OwnIndex> ChooseSuspect() {
    if (!tail_.suspect.has_value()) return std::nullopt;
    const CarvedBlock* const as_carved = carved_.Find(tail_.footer->index, 0);
    // A value may begin like a handle; in an index, nothing follows the handle.
    if (as_carved != nullptr && IsData(*as_carved) && as_carved->index.empty()) return std::nullopt;
    const IndexFinder finder(&*tail_.suspect, options_.comparator);
    size_t data_blocks = 0, named = 0;
    for (const CarvedBlock& block : carved_.blocks) {
      if (!IsData(block) || IsInner(block)) continue;
      ++data_blocks;
      const ScannedBlock& data = block.data;
      named += finder.Find(data.handle, data.first_key, data.last_key).has_value() ? 1 : 0;
    }
    if (named == 0 || 2 * named < data_blocks) return std::nullopt;
    OwnIndex own = {*std::move(tail_.suspect), IndexSource::kFooter};
    own.offset = tail_.footer->index.offset;
    own.table_end = file_.size();
    own.has_footer = true;
    if (as_carved != nullptr) MutableBlock(*as_carved).kind = CarvedBlock::Kind::kIndex;
    scan_.doubts.push_back(absl::StrCat("the index ", tail_.index_status.message()));
    return own;
  }

  bool IsInner(const CarvedBlock& block) const {
    return !chain_.standing.empty() && chain_.Of(carved_, block) == BlockChain::Standing::kInner;
  }
  CarvedBlock& MutableBlock(const CarvedBlock& block) {
    return carved_.blocks[static_cast<size_t>(&block - carved_.blocks.data())];
  }

  // Phase 3: finds the blocks that the index names.
  std::vector<std::optional<ScannedBlock>> Place(const OwnIndex& own,
                                                 std::vector<std::optional<ScannedBlock>> found) {
    if (found.empty()) {
      found.resize(own.entries.size());
      reasons_.assign(own.entries.size(), "");
    }
    if (own.source == IndexSource::kCarved) TakeMetaindexOf(own);
    MarkMetaBlocks(tail_.meta_blocks, own.base, &carved_);
    BlockPlaces places = PlaceBlocks(own.entries, own.base, own.offset, file_.bytes(), carved_,
                                     std::move(found), options_.comparator);
    if (!places.certain) scan_.owner_known = false;
    scan_.inner_blocks += places.inner_blocks;
    scan_.unnamed_blocks += places.unnamed_blocks;
    return std::move(places.blocks);
  }

  // Finds the metaindex of a carved index, after the data blocks.
  void TakeMetaindexOf(const OwnIndex& own) {
    const int64_t data_end =
        own.entries.empty() ? 0 : static_cast<int64_t>(EndOf(own.entries.back().handle)) + own.base;
    for (const CarvedBlock& block : carved_.blocks) {
      const BlockHandle& handle = block.data.handle;
      if (block.kind != CarvedBlock::Kind::kMetaindex) continue;
      if (static_cast<int64_t>(handle.offset) < data_end || EndOf(handle) > own.table_end) continue;
      metaindex_ = &block;
    }
    if (metaindex_ != nullptr) tail_.meta_blocks = MetaBlocksOf(metaindex_->index);
  }

  void SayByIndex(const OwnIndex& own, std::vector<std::optional<ScannedBlock>> found) {
    scan_.index_source = own.source;
    for (size_t i = 0; i < own.entries.size(); ++i) {
      const IndexEntry& entry = own.entries[i];
      if (found[i].has_value()) {
        scan_.blocks.push_back(*std::move(found[i]));
        scan_.blocks.back().index_key = entry.key;
        continue;
      }
      LostRange lost;
      lost.is_block = true;
      lost.offset = entry.handle.offset;
      lost.size = entry.handle.size;
      lost.reason = reasons_[i].empty() ? ReasonAt(entry.handle, own.base) : reasons_[i];
      if (i > 0) lost.after = own.entries[i - 1].key;
      lost.until = entry.key;
      scan_.lost.push_back(std::move(lost));
    }
    // ReadTail() has compared an index in its place with the rest of the file.
    if (own.table_end > 0 && scan_.lost.empty()) FindUnexplained(own);
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

  // Reports bytes neither in a data block of the index nor in a block after those: they may have
  // been a data block of a newer version of the table.
  void FindUnexplained(const OwnIndex& own) {
    if (file_.dialect == CompressionNumbering::kRocksDb) return;  // may have bytes between blocks
    ByteCoverage explained;
    uint64_t end = own.table_end;
    uint64_t data_end = 0;
    for (const ScannedBlock& block : scan_.blocks) {
      explained.Add(block.handle);
      data_end = std::max(data_end, EndOf(block.handle));
    }
    for (auto block = carved_.LowerBound(data_end); block != carved_.blocks.end(); ++block) {
      if (!IsData(*block)) explained.Add(block->data.handle);
    }
    for (const MetaBlock& meta : tail_.meta_blocks) {
      const CarvedBlock* const block = carved_.Find(meta.handle, own.base);
      if (block == nullptr && metaindex_ != nullptr && own.base == 0) explained.Add(meta.handle);
    }
    if (own.has_footer) {
      explained.Add(end - kFooterSize, end);
    } else {
      // a damaged or incomplete footer
      end = std::min(end + kFooterSize, file_.size());
      explained.Add(own.table_end, end);
    }
    explained.VisitGaps(file_.size(), [&](uint64_t start, uint64_t gap_end) {
      scan_.doubts.push_back(absl::StrFormat(
          "bytes %d to %d are in no block that the table's index names%s", start, gap_end - 1,
          file_.IsZeros(start, gap_end - start) ? "; they are zeros" : ""));
    });
  }

  void TakeResults() {
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
  TableTail tail_;
  std::vector<std::string> reasons_;  // by entry of the index that the footer names

  CarvedFile carved_;
  BlockChain chain_;
  std::vector<FoundTable> tables_;
  const CarvedBlock* metaindex_ = nullptr;  // only if there was none where the footer has it
};

}  // namespace

absl::StatusOr<TableScan> ScanTable(const RandomAccessFile& file, const TableScanOptions& options,
                                    ByteBuffer* bytes) {
  if (file.size() > std::numeric_limits<size_t>::max() / 4) {
    return absl::ResourceExhaustedError(absl::StrCat(file.name(), ": too large"));
  }
  Scanner scanner(file, options);
  absl::StatusOr<TableScan> scan = scanner.Run();
  *bytes = scanner.TakeBytes();
  return scan;
}

}  // namespace sstable
