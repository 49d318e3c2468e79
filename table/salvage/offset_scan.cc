#include "table/salvage/offset_scan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/internal_key.h"
#include "table/block/index_entries.h"
#include "table/block/key_order.h"
#include "table/salvage/byte_coverage.h"
#include "table/salvage/heaviest_chain.h"

namespace sstable {
namespace {

class OffsetScanner {
 public:
  OffsetScanner(const BlockChain& chain, const std::vector<FoundTable>& tables,
                const Comparator* comparator, ScannedFile* file, CarvedFile* carved,
                TableTail* tail, TableScan* scan)
      : chain_(chain),
        tables_(tables),
        file_(*file),
        carved_(*carved),
        tail_(*tail),
        scan_(*scan),
        comparator_(comparator) {}

  // Data blocks end at the metaindex block, if its place is known, and are not where the metaindex
  // has other blocks.
  void Run() {
    TakeMetaindexByOffset();
    MarkMetaBlocks(tail_.meta_blocks, /*base=*/0, &carved_);
    CompareWithTables();
    has_outer_data_ =
        std::any_of(carved_.blocks.begin(), carved_.blocks.end(), [this](const CarvedBlock& block) {
          return IsData(block) && !block.may_be_index && !IsInner(block) &&
                 (IsOwn(block) || !IsWithinATable(block));
        });
    CompareRuns();
    uint64_t limit = file_.size();
    if (tail_.footer.has_value() && tail_.shift == 0) limit = tail_.footer->metaindex.offset;
    if (metaindex_ != nullptr) limit = std::min(limit, metaindex_->data.handle.offset);
    ByteCoverage covered;
    bool has_doubtful_block = TakeDataBlocks(limit, &covered);
    if (tail_.metaindex_status.ok()) {
      for (const MetaBlock& meta : tail_.meta_blocks) covered.Add(meta.handle);
      // Only RocksDB puts the index before the metaindex. In other files the footer then names the
      // wrong block, which may be a data block unless it is an index.
      if (file_.dialect == CompressionNumbering::kRocksDb && tail_.footer->index.offset < limit) {
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

  // Takes a metaindex that is in the chain of the table's blocks, or is right about another block's
  // place; for a table whose index was not found.
  void TakeMetaindexByOffset() {
    if (!tail_.meta_blocks.empty()) return;
    for (const CarvedBlock& block : carved_.blocks) {
      if (block.kind != CarvedBlock::Kind::kMetaindex || IsInner(block)) continue;
      const bool is_right = std::any_of(
          block.index.begin(), block.index.end(),
          [this](const IndexEntry& entry) { return carved_.Find(entry.handle, 0) != nullptr; });
      if (is_right || IsOwn(block)) metaindex_ = &block;
    }
    if (metaindex_ != nullptr) tail_.meta_blocks = MetaBlocksOf(metaindex_->index);
  }

  // Returns true if a block belongs to a table that starts and ends within the file, unless all
  // data blocks do.
  bool IsOfInnerTable(const CarvedBlock& block) const {
    return has_outer_data_ && !IsOwn(block) && IsWithinATable(block);
  }
  bool IsLeftOut(const CarvedBlock& block) const { return IsInner(block) || IsOfInnerTable(block); }
  bool IsWithinATable(const CarvedBlock& block) const { return is_within_[NumberOf(block)]; }
  size_t NumberOf(const CarvedBlock& block) const {
    return static_cast<size_t>(&block - carved_.blocks.data());
  }

  // Compares each block with the next table that ends after it. A table has its first block at its
  // start; if that is one of the file's own blocks, the table is the file's own, after inserted
  // bytes. If it has no block there, bytes may have been inserted between the file's own blocks, so
  // that its index fits those after them.
  void CompareWithTables() {
    is_within_.assign(carved_.blocks.size(), false);
    owner_.assign(carved_.blocks.size(), ScannedBlock::Owner::kUnknown);
    auto next = carved_.blocks.cbegin();
    for (const FoundTable& table : tables_) {
      std::optional<IndexFinder> finder;
      if (table.index != nullptr) finder.emplace(&table.index->index, comparator_);
      const CarvedBlock* const start = FindStart(table);
      const bool is_own = start != nullptr && IsOwn(*start);
      const bool ends_file = table.footer.has_value() && table.end == file_.size();
      for (; next != carved_.blocks.cend() && EndOf(next->data.handle) <= table.end; ++next) {
        if (!IsData(*next)) continue;
        const ScannedBlock& data = next->data;
        const size_t i = NumberOf(*next);
        is_within_[i] =
            start != nullptr && !is_own && static_cast<int64_t>(data.handle.offset) >= table.base;
        const bool is_named = finder.has_value() &&
                              finder->Find(data.handle, data.first_key, data.last_key).has_value();
        if (!is_named && !is_within_[i]) continue;
        // A table at the end of the file may be the file's own.
        owner_[i] = is_named && (is_own || ends_file) ? ScannedBlock::Owner::kThisTable
                                                      : ScannedBlock::Owner::kEmbeddedTable;
      }
    }
  }

  // Returns the first block of a table that starts within the file; null if it is missing.
  const CarvedBlock* FindStart(const FoundTable& table) const {
    if (table.base <= 0) return nullptr;
    return table.index == nullptr ? carved_.Find(static_cast<uint64_t>(table.base))
                                  : carved_.Find(table.index->index.front().handle, table.base);
  }

  // After a damaged block that can't be walked, it is not known whether blocks are the table's own.
  // But keys of a table ascend, so blocks that are not in the heaviest chain probably are not.
  void CompareRuns() {
    const std::optional<KeyOrder> order = OrderOfOwn();
    if (!order.has_value()) return;
    std::vector<size_t> run_of(carved_.blocks.size(), kNoRun);
    const std::vector<BlockRun> runs = FindRuns(*order, &run_of);
    std::vector<bool> is_in_chain(runs.size(), false);
    for (const size_t run : FindHeaviestChain(runs, *order)) is_in_chain[run] = true;
    for (size_t n = 0; n < run_of.size(); ++n) {
      const bool is_likely = run_of[n] != kNoRun && is_in_chain[run_of[n]];
      if (!is_likely && owner_[n] == ScannedBlock::Owner::kUnknown) {
        owner_[n] = ScannedBlock::Owner::kUnlikely;
      }
    }
  }

  // Finds runs of data blocks that may be the table's own, and the run of each block. Contiguous
  // blocks belong to one table: to another table, if that names one of them, or if its end is next
  // to them and data follows.
  std::vector<BlockRun> FindRuns(const KeyOrder& order, std::vector<size_t>* run_of) const {
    const std::vector<CarvedBlock>& blocks = carved_.blocks;
    size_t data_end = blocks.size();
    while (data_end > 0 && !IsData(blocks[data_end - 1])) --data_end;
    std::vector<BlockRun> runs;
    for (size_t i = 0; i < data_end;) {
      const size_t first = i;
      i = EndOfNeighbours(first);
      const bool may_be_own =
          std::none_of(owner_.begin() + first, owner_.begin() + i, IsOtherTables) &&
          (IsData(blocks[i - 1]) || i >= data_end);
      for (size_t n = first; n < i; ++n) {
        if (!IsData(blocks[n]) || IsLeftOut(blocks[n])) continue;
        if (!may_be_own && !IsSurelyOwn(n)) continue;
        const ScannedBlock& data = blocks[n].data;
        const bool follows = n > first && (*run_of)[n - 1] != kNoRun &&
                             order.Compare(runs.back().last_key, data.first_key) < 0;
        if (!follows) runs.push_back({data.first_key, data.last_key});
        runs.back().last_key = data.last_key;
        runs.back().size += data.handle.size;
        if (IsSurelyOwn(n)) runs.back().own_size += data.handle.size;
        (*run_of)[n] = runs.size() - 1;
      }
    }
    return runs;
  }

  // Determines the order from the first keys of the table's own blocks; if there are none, the kind
  // of keys from other blocks.
  std::optional<KeyOrder> OrderOfOwn() const {
    Index own;
    bool have_tags = true;
    for (size_t n = 0; n < carved_.blocks.size(); ++n) {
      const CarvedBlock& block = carved_.blocks[n];
      if (!IsData(block)) continue;
      if (IsSurelyOwn(n)) own.push_back({block.data.first_key, block.data.handle});
      have_tags &= ParseInternalKey(block.data.first_key).has_value();
    }
    if (!own.empty()) return OrderOf(own, comparator_);
    return KeyOrder(comparator_ != nullptr ? comparator_ : BytewiseComparator(),
                    have_tags ? KeyKind::kInternal : KeyKind::kPlain);
  }

  // Returns the first block after `first` that does not start where the previous one ends.
  size_t EndOfNeighbours(size_t first) const {
    const std::vector<CarvedBlock>& blocks = carved_.blocks;
    size_t i = first + 1;
    while (i < blocks.size() && blocks[i].data.handle.offset == EndOf(blocks[i - 1].data.handle)) {
      ++i;
    }
    return i;
  }

  static bool IsOtherTables(ScannedBlock::Owner owner) {
    return owner == ScannedBlock::Owner::kEmbeddedTable;
  }
  bool IsSurelyOwn(size_t n) const {
    return IsOwn(carved_.blocks[n]) || owner_[n] == ScannedBlock::Owner::kThisTable;
  }

  // A block whose values are handles may be an index: of a table with one block, or with a damaged
  // entry. Then no data block follows it.
  bool IsLastOfData(const CarvedBlock& block) const {
    const auto after = carved_.LowerBound(EndOf(block.data.handle));
    return std::none_of(after, carved_.blocks.cend(), [this](const CarvedBlock& other) {
      return IsData(other) && !IsInner(other);
    });
  }

  // Takes the data blocks among the carved ones. Returns true if one of the others is where a data
  // block may have been.
  bool TakeDataBlocks(uint64_t limit, ByteCoverage* covered) {
    bool has_doubtful_block = false;
    for (const CarvedBlock& carved : carved_.blocks) {
      if (IsLeftOut(carved)) {
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
        // the metaindex is before the index
        const bool is_before_metaindex =
            IsOwn(carved) && tail_.IsWhole() && file_.dialect == CompressionNumbering::kLevelDb;
        const bool is_left_out = !is_before_metaindex && IsLastOfData(carved);
        scan_.doubts.push_back(absl::StrCat(
            "the block at offset ", handle.offset, " (", handle.size,
            " bytes) may be an index, as values in it are handles; it is ",
            is_left_out           ? "left out, since no data block is after it"
            : is_before_metaindex ? "taken for data, since it is before the metaindex block"
                                  : "taken for data, since a data block is after it"));
        if (is_left_out) continue;
        scan_.owner_known = false;
      }
      if (!IsData(carved)) continue;
      if (!IsOwn(carved)) scan_.owner_known = false;
      scan_.blocks.push_back(carved.data);
      if (!IsOwn(carved)) scan_.blocks.back().owner = owner_[NumberOf(carved)];
      if (carved.may_be_index) {
        scan_.blocks.back().owner = ScannedBlock::Owner::kEmbeddedTable;
      }
    }
    return has_doubtful_block;
  }

  bool IsNamedMeta(const BlockHandle& handle) const {
    return std::any_of(tail_.meta_blocks.begin(), tail_.meta_blocks.end(),
                       [&handle](const MetaBlock& meta) { return meta.handle == handle; });
  }

  // Returns true if a block is where a data block may have been, over which a copy of it was
  // written.
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
      lost.reason = "the search for blocks was abandoned";
    } else if (file_.IsZeros(offset, lost.size)) {
      lost.reason = "zeros";
    } else {
      lost.reason = "no block with a correct checksum is in it";
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
  const Comparator* const comparator_;
  static constexpr size_t kNoRun = std::numeric_limits<size_t>::max();
  const CarvedBlock* metaindex_ = nullptr;  // only if there was none where the footer has it
  // By carved block; so is the next.
  std::vector<bool> is_within_;
  std::vector<ScannedBlock::Owner> owner_;
  bool has_outer_data_ = false;  // some blocks are in no table within the file
};

}  // namespace

void ScanByOffset(const BlockChain& chain, const std::vector<FoundTable>& tables,
                  const Comparator* comparator, ScannedFile* file, CarvedFile* carved,
                  TableTail* tail, TableScan* scan) {
  OffsetScanner(chain, tables, comparator, file, carved, tail, scan).Run();
}

}  // namespace sstable
