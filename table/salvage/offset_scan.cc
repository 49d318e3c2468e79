#include "table/salvage/offset_scan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "table/block/index_entries.h"
#include "table/block/key_order.h"
#include "table/salvage/byte_coverage.h"

namespace sstable {
namespace {

class OffsetScanner {
 public:
  OffsetScanner(const BlockChain& chain, const std::vector<FoundTable>& tables,
                const std::optional<const Comparator*>& comparator, ScannedFile* file,
                CarvedFile* carved, TableTail* tail, TableScan* scan)
      : chain_(chain),
        tables_(tables),
        file_(*file),
        carved_(*carved),
        tail_(*tail),
        scan_(*scan),
        comparator_(comparator) {}

  // Data blocks can be up to the metaindex block, if it is known where that is, and not where it
  // says that other blocks are.
  void Run() {
    TakeMetaindexByOffset();
    MarkMetaBlocks(tail_.meta_blocks, /*base=*/0, &carved_);
    CompareWithTables();
    CompareWithOwn();
    has_outer_data_ =
        std::any_of(carved_.blocks.begin(), carved_.blocks.end(), [this](const CarvedBlock& block) {
          return IsData(block) && !IsInner(block) && (IsOwn(block) || !IsWithinATable(block));
        });
    uint64_t limit = file_.size();
    if (tail_.footer.has_value() && tail_.shift == 0) limit = tail_.footer->metaindex.offset;
    if (metaindex_ != nullptr) limit = std::min(limit, metaindex_->data.handle.offset);
    ByteCoverage covered;
    bool has_doubtful_block = TakeDataBlocks(limit, &covered);
    if (tail_.metaindex_status.ok()) {
      for (const MetaBlock& meta : tail_.meta_blocks) covered.Add(meta.handle);
      // Only RocksDB has the index before the metaindex. Elsewhere the footer means another block;
      // and there it may, if it is no index.
      if (file_.dialect == TypeByteDialect::kRocksDb && tail_.footer->index.offset < limit) {
        covered.Add(tail_.footer->index);
        if (!tail_.index_status.ok()) has_doubtful_block = true;
      }
    }
    bool has_gap = false;
    covered.VisitGaps(limit, [&](uint64_t start, uint64_t end) {
      has_gap = true;
      AddGap(start, end);
    });
    const bool is_beyond = !scan_.blocks.empty() && scan_.blocks.back().handle.offset > limit;
    const bool filter_in_place =
        metaindex_ != nullptr &&
        std::any_of(metaindex_->index.begin(), metaindex_->index.end(),
                    [this](const IndexEntry& e) { return carved_.Find(e.handle, 0) != nullptr; });
    const bool end_known =
        tail_.IsWhole() && limit == tail_.footer->metaindex.offset ? true : filter_in_place;
    scan_.extent_known = !scan_.carving_stopped_at.has_value() && !has_doubtful_block &&
                         !is_beyond && !has_gap && end_known;
  }

 private:
  bool IsInner(const CarvedBlock& block) const {
    return !chain_.standing.empty() && chain_.Of(carved_, block) == BlockChain::Standing::kInner;
  }
  bool IsOwn(const CarvedBlock& block) const {
    return chain_.Of(carved_, block) == BlockChain::Standing::kOwn;
  }

  // The metaindex of a table whose index is not found: one in the chain of its blocks, or that is
  // right about where another block is.
  void TakeMetaindexByOffset() {
    if (!tail_.meta_blocks.empty()) return;
    for (const CarvedBlock& block : carved_.blocks) {
      if (block.kind != CarvedBlock::Kind::kMetaindex || IsInner(block)) continue;
      const bool is_right = std::any_of(
          block.index.begin(), block.index.end(),
          [this](const IndexEntry& entry) { return carved_.Find(entry.handle, 0) != nullptr; });
      if (is_right || IsOwn(block)) metaindex_ = &block;
    }
    if (metaindex_ != nullptr) AddMetaBlocks(metaindex_->index, &file_, &tail_.meta_blocks);
  }

  // Whether a block is one of a table that starts and ends within the file, if there are data
  // blocks outside of such tables.
  bool IsOfInnerTable(const CarvedBlock& block) const {
    return has_outer_data_ && !IsOwn(block) && IsWithinATable(block);
  }
  bool IsWithinATable(const CarvedBlock& block) const { return is_within_[NumberOf(block)]; }
  size_t NumberOf(const CarvedBlock& block) const {
    return static_cast<size_t>(&block - carved_.blocks.data());
  }

  // Compares each block with the table that ends next after it. A table has its first block at its
  // start. Else bytes may have been put between the blocks of the file's own, so that its index
  // fits those after them.
  void CompareWithTables() {
    is_within_.assign(carved_.blocks.size(), false);
    belonging_.assign(carved_.blocks.size(), ScannedBlock::Belonging::kUnknown);
    auto next = carved_.blocks.cbegin();
    for (const FoundTable& table : tables_) {
      std::optional<IndexFinder> finder;
      if (table.index != nullptr) finder.emplace(&table.index->index, comparator_);
      const bool has_start =
          table.base > 0 &&
          (table.index == nullptr
               ? carved_.Find(static_cast<uint64_t>(table.base)) != nullptr
               : carved_.Find(table.index->index.front().handle, table.base) != nullptr);
      for (; next != carved_.blocks.cend() && EndOf(next->data.handle) <= table.end; ++next) {
        if (!IsData(*next)) continue;
        const ScannedBlock& data = next->data;
        const size_t i = NumberOf(*next);
        is_within_[i] = has_start && static_cast<int64_t>(data.handle.offset) >= table.base;
        const bool is_named = finder.has_value() &&
                              finder->Find(data.handle, data.first_key, data.last_key).has_value();
        if (!is_named && !is_within_[i]) continue;
        // Where it ends the file, it may be the file's own.
        belonging_[i] = is_named && table.footer.has_value() && table.end == file_.size()
                            ? ScannedBlock::Belonging::kOwn
                            : ScannedBlock::Belonging::kOtherTable;
      }
    }
  }

  // Blocks side by side are of one table: another one, where keys are not between those of the
  // blocks around them that are surely the table's own, or where its end is and more data follows.
  void CompareWithOwn() {
    const std::vector<CarvedBlock>& blocks = carved_.blocks;
    Index own;  // by first keys
    for (const CarvedBlock& block : blocks) {
      if (IsData(block) && IsOwn(block)) own.push_back({block.data.first_key, block.data.handle});
    }
    const std::optional<KeyOrder> order = OrderOf(own, comparator_);
    if (!order.has_value()) return;
    const auto last_data = std::find_if(blocks.crbegin(), blocks.crend(),
                                        [](const CarvedBlock& block) { return IsData(block); });
    auto after = own.cbegin();
    const std::string* before = nullptr;  // the last key of the own block before
    for (size_t i = 0; i < blocks.size();) {
      const size_t first = i;
      bool is_between = true, has_end = false;
      uint64_t end = blocks[first].data.handle.offset;
      for (; i < blocks.size() && !IsOwn(blocks[i]) && blocks[i].data.handle.offset == end; ++i) {
        const ScannedBlock& data = blocks[i].data;
        end = EndOf(data.handle);
        has_end |= !IsData(blocks[i]);
        if (!IsData(blocks[i])) continue;
        is_between &= (before == nullptr || order->Compare(*before, data.first_key) < 0) &&
                      (after == own.cend() || order->Compare(data.last_key, after->key) < 0);
      }
      const bool has_data_after =
          last_data != blocks.crend() && last_data->data.handle.offset >= end;
      if (!is_between || (has_end && has_data_after)) {
        std::fill(belonging_.begin() + first, belonging_.begin() + i,
                  ScannedBlock::Belonging::kOtherTable);
      }
      if (i > first) continue;
      if (IsData(blocks[i])) {
        before = &blocks[i].data.last_key;
        ++after;
      }
      ++i;
    }
  }

  // A block with handles as its values may be an index: of a table with one block, or one with an
  // entry that is wrong. Then no data block is after it.
  bool IsLastOfData(const CarvedBlock& block) const {
    const auto after = carved_.LowerBound(EndOf(block.data.handle));
    return std::none_of(after, carved_.blocks.cend(), [this](const CarvedBlock& other) {
      return IsData(other) && !IsInner(other);
    });
  }

  // Takes the data blocks of what was carved, and returns whether one of the others is where a data
  // block may have been.
  bool TakeDataBlocks(uint64_t limit, ByteCoverage* covered) {
    bool has_doubtful_block = false;
    for (const CarvedBlock& carved : carved_.blocks) {
      if (IsInner(carved) || IsOfInnerTable(carved)) {
        if (IsData(carved)) ++scan_.inner_blocks;
        continue;
      }
      const BlockHandle& handle = carved.data.handle;
      covered->Add(handle);
      if (IsOutOfPlace(carved, limit)) has_doubtful_block = true;
      if (carved.kind == CarvedBlock::Kind::kMeta && carved.data.entry_count > 0 &&
          !IsNamedMeta(handle)) {
        ++scan_.unnamed_blocks;
      }
      if (carved.may_be_index) {
        has_doubtful_block = true;
        // The metaindex is before the index.
        const bool is_before_metaindex =
            IsOwn(carved) && tail_.IsWhole() && file_.dialect == TypeByteDialect::kLevelDb;
        const bool is_left_out = !is_before_metaindex && IsLastOfData(carved);
        scan_.doubts.push_back(absl::StrCat(
            "the block at offset ", handle.offset, " (", handle.size,
            " bytes) may be an index, as its values are handles; it is ",
            is_left_out           ? "left out, since no data block is after it"
            : is_before_metaindex ? "taken for data, since it is before the metaindex block"
                                  : "taken for data, since a data block is after it"));
        if (is_left_out) continue;
        scan_.belonging_known = false;
      }
      if (!IsData(carved)) continue;
      if (!IsOwn(carved)) scan_.belonging_known = false;
      scan_.blocks.push_back(carved.data);
      if (!IsOwn(carved)) scan_.blocks.back().belonging = belonging_[NumberOf(carved)];
      if (carved.may_be_index) {
        scan_.blocks.back().belonging = ScannedBlock::Belonging::kOtherTable;
      }
    }
    return has_doubtful_block;
  }

  bool IsNamedMeta(const BlockHandle& handle) const {
    return std::any_of(tail_.meta_blocks.begin(), tail_.meta_blocks.end(),
                       [&handle](const MetaBlock& meta) { return meta.handle == handle; });
  }

  // Whether a block is where a data block may have been: a copy of it, written over that.
  bool IsOutOfPlace(const CarvedBlock& carved, uint64_t data_limit) const {
    const BlockHandle& handle = carved.data.handle;
    if (handle.offset >= data_limit) return false;
    if (carved.kind == CarvedBlock::Kind::kMeta) return !IsNamedMeta(handle);
    const bool is_index =
        carved.kind == CarvedBlock::Kind::kIndex || carved.kind == CarvedBlock::Kind::kMetaindex;
    return is_index && !(tail_.footer.has_value() && handle == tail_.footer->index);
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

  const BlockChain& chain_;
  const std::vector<FoundTable>& tables_;
  ScannedFile& file_;
  CarvedFile& carved_;
  TableTail& tail_;
  TableScan& scan_;
  const std::optional<const Comparator*>& comparator_;
  const CarvedBlock* metaindex_ = nullptr;  // only if there was none where the footer says
  // By carved block, as the next table has it.
  std::vector<bool> is_within_;
  std::vector<ScannedBlock::Belonging> belonging_;
  bool has_outer_data_ = false;  // blocks that are in no table within the file
};

}  // namespace

void ScanByOffset(const BlockChain& chain, const std::vector<FoundTable>& tables,
                  const std::optional<const Comparator*>& comparator, ScannedFile* file,
                  CarvedFile* carved, TableTail* tail, TableScan* scan) {
  OffsetScanner(chain, tables, comparator, file, carved, tail, scan).Run();
}

}  // namespace sstable
