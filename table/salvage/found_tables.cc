#include "table/salvage/found_tables.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/format.h"
#include "table/block/index_entries.h"
#include "util/coding.h"

namespace sstable {
namespace {

struct FoundFooter {
  Footer footer;
  uint64_t offset = 0;
  int64_t base = 0;  // start of its table, if the last block ends right before the footer
};

// Finds every footer between the blocks.
std::vector<FoundFooter> FindFooters(absl::string_view bytes, const CarvedFile& carved) {
  std::string magic;
  AppendFixed64(&magic, kTableMagic);
  std::vector<FoundFooter> footers;
  const auto search = [&](uint64_t start, uint64_t end) {
    for (uint64_t at = start; at < end;) {
      const size_t found = bytes.substr(0, end).find(magic, at);
      if (found == absl::string_view::npos) return;
      at = found + magic.size();
      if (at - start < kFooterSize) continue;
      const uint64_t offset = at - kFooterSize;
      const absl::StatusOr<Footer> footer = Footer::Parse(
          bytes.substr(offset, kFooterSize), uint64_t{std::numeric_limits<int64_t>::max()});
      if (!footer.ok()) continue;
      const uint64_t last = std::max(EndOf(footer->metaindex), EndOf(footer->index));
      footers.push_back({*footer, offset, static_cast<int64_t>(offset - last)});
    }
  };
  uint64_t end = 0;
  for (const CarvedBlock& block : carved.blocks) {
    search(end, block.data.handle.offset);
    end = EndOf(block.data.handle);
  }
  search(end, bytes.size());
  return footers;
}

// Finds where the table of an index starts, by the metaindex block before it. In LevelDB's tables,
// meta blocks come right before that, or else data blocks.
std::optional<int64_t> BaseByMetaindex(const CarvedBlock& index, const CarvedFile& carved) {
  const auto at = carved.LowerBound(index.data.handle.offset);
  if (at == carved.blocks.begin()) return std::nullopt;
  const CarvedBlock& metaindex = *(at - 1);
  if (EndOf(metaindex.data.handle) != index.data.handle.offset) return std::nullopt;
  const bool is_empty =
      metaindex.kind == CarvedBlock::Kind::kData && metaindex.data.entry_count == 0;
  if (metaindex.kind != CarvedBlock::Kind::kMetaindex && !is_empty) return std::nullopt;
  uint64_t end = 0;
  for (const IndexEntry& entry : is_empty ? index.index : metaindex.index) {
    end = std::max(end, EndOf(entry.handle));
  }
  return static_cast<int64_t>(metaindex.data.handle.offset - end);
}

// Finds the start from the distance between most of the blocks from `first` to `last` and their
// handles in the index.
std::optional<int64_t> BaseByBlocks(const CarvedBlock& index, const CarvedBlock* first,
                                    const CarvedBlock* last, int64_t max_base,
                                    const Comparator* comparator) {
  const IndexFinder finder(&index.index, comparator);
  absl::flat_hash_map<int64_t, size_t> counts;
  std::optional<int64_t> best;
  size_t best_count = 0;
  for (const CarvedBlock* block = last; block != first;) {
    --block;
    if (!IsData(*block)) continue;
    const ScannedBlock& data = block->data;
    const auto i = finder.Find(data.handle, data.first_key, data.last_key);
    if (!i.has_value()) continue;
    const auto base = static_cast<int64_t>(data.handle.offset - index.index[*i].handle.offset);
    if (base > max_base) continue;
    const size_t count = ++counts[base];
    if (count < best_count || (count == best_count && base != 0)) continue;
    best = base;
    best_count = count;
  }
  return best;
}

// Finds the table of an index that no footer names. If it was a value, all of its blocks are before
// its index, contiguous with it or with its metaindex block.
FoundTable FindTableOf(const CarvedBlock& index, const CarvedFile& carved,
                       const Comparator* comparator) {
  FoundTable table;
  table.index = &index;
  table.end = EndOf(index.data.handle);
  std::optional<int64_t> base = BaseByMetaindex(index, carved);
  const CarvedBlock* const blocks = carved.blocks.data();
  const auto number = static_cast<size_t>(&index - blocks);
  const size_t max_blocks = 4 * index.index.size() + 64;
  if (!base.has_value()) {
    uint64_t data_end = 0;
    for (const IndexEntry& entry : index.index) data_end = std::max(data_end, EndOf(entry.handle));
    const auto max_base = static_cast<int64_t>(index.data.handle.offset - data_end);
    base = BaseByBlocks(index, blocks + number - std::min(number, max_blocks), blocks + number,
                        std::max<int64_t>(max_base, 0), comparator);
  }
  if (!base.has_value()) {
    const size_t after = carved.blocks.size() - number;
    base = BaseByBlocks(index, blocks + number, blocks + number + std::min(after, max_blocks),
                        std::numeric_limits<int64_t>::max(), comparator);
    table.is_index_moved = base.has_value();
  }
  table.base = base.value_or(0);
  table.base_known = base.has_value();
  return table;
}

// Returns true if the blocks `own` are those of a table that starts at `base` within the file: some
// are counted from the file's start, the rest from `base`, as if bytes were inserted between the
// two.
bool IsShiftedFromTheMiddle(const FoundTable& table, const CarvedFile& carved,
                            const std::vector<const CarvedBlock*>& own, const Comparator* order) {
  const Index& index = table.index->index;
  const IndexFinder finder(&index, order);
  std::optional<size_t> last_unmoved;
  for (const CarvedBlock* block : own) {
    const ScannedBlock& data = block->data;
    const auto i = finder.Find(data.handle, data.first_key, data.last_key);
    if (!i.has_value()) return false;
    const auto shift = static_cast<int64_t>(data.handle.offset - index[*i].handle.offset);
    if (shift == table.base) return true;  // the insertion was before that one
    if (shift != 0) return false;
    last_unmoved = std::max(last_unmoved.value_or(0), *i);
  }
  for (size_t i = 0; last_unmoved.has_value() && i <= *last_unmoved; ++i) {
    const CarvedBlock* const moved = carved.Find(index[i].handle, table.base);
    if (moved != nullptr && finder.Find(moved->data.handle, moved->data.first_key,
                                        moved->data.last_key) == std::optional<size_t>(i)) {
      return false;  // it exists twice
    }
  }
  return true;
}

// For a block that an index names: where it is if not in its place.
enum class Elsewhere {
  kNot,    // in its place, or not named at all
  kOnly,   // only elsewhere: it has moved
  kTwice,  // also in its place: it is a copy
  kOther,  // another block is in its place
};
Elsewhere FindElsewhere(const CarvedBlock& block, const FoundTable& table,
                        const IndexFinder& finder, absl::string_view file,
                        const CarvedFile& carved) {
  const ScannedBlock& data = block.data;
  const auto i = finder.FindByKey(data.handle, data.first_key, data.last_key);
  if (!i.has_value()) return Elsewhere::kNot;
  const CarvedBlock* const in_place = carved.Find(table.index->index[*i].handle, table.base);
  if (in_place == nullptr) return Elsewhere::kOnly;
  if (in_place == &block) return Elsewhere::kNot;
  return file.substr(in_place->data.handle.offset, data.handle.size) ==
                 file.substr(data.handle.offset, data.handle.size)
             ? Elsewhere::kTwice
             : Elsewhere::kOther;
}

// Returns the data blocks that are in none of the tables that start and end within the file, or all
// of them if all are. `tables` are sorted by their ends.
std::vector<const CarvedBlock*> FindOuterData(const std::vector<const CarvedBlock*>& data,
                                              const std::vector<FoundTable>& tables) {
  std::vector<const CarvedBlock*> outer;
  auto table = tables.rbegin();
  int64_t start = std::numeric_limits<int64_t>::max();  // the lowest start of the tables that end
                                                        // after the block
  for (auto block = data.rbegin(); block != data.rend(); ++block) {
    const BlockHandle& handle = (*block)->data.handle;
    for (; table != tables.rend() && table->end >= EndOf(handle); ++table) {
      if (table->footer.has_value() && table->base > 0) start = std::min(start, table->base);
    }
    if (static_cast<int64_t>(handle.offset) < start) outer.push_back(*block);
  }
  return outer.empty() ? data : outer;
}

bool NamesHalf(const FoundTable& table, const std::vector<const CarvedBlock*>& own,
               const Comparator* comparator) {
  const IndexFinder finder(&table.index->index, comparator);
  const auto is_named = [&finder](const CarvedBlock* block) {
    const ScannedBlock& data = block->data;
    return finder.Find(data.handle, data.first_key, data.last_key).has_value();
  };
  const auto count = static_cast<size_t>(std::count_if(own.begin(), own.end(), is_named));
  return 2 * count >= own.size();
}

}  // namespace

std::vector<FoundTable> FindTables(const ScannedFile& file, const CarvedFile& carved,
                                   const Comparator* comparator) {
  std::vector<FoundTable> tables;
  std::map<const CarvedBlock*, size_t> by_index;
  for (const FoundFooter& found : FindFooters(file.bytes(), carved)) {
    const CarvedBlock* const index = carved.Find(found.footer.index, found.base);
    const bool has_index = index != nullptr && index->kind == CarvedBlock::Kind::kIndex;
    // Random bytes may look like a footer, so it has to be right about one of its blocks. If its
    // handles are damaged, the index may be where it has the metaindex.
    const CarvedBlock* const metaindex = carved.Find(found.footer.metaindex, found.base);
    if (!has_index && (metaindex == nullptr || metaindex->kind == CarvedBlock::Kind::kIndex)) {
      continue;
    }
    if (has_index) by_index.emplace(index, tables.size());
    tables.push_back({has_index ? index : nullptr, found.base, /*base_known=*/true,
                      /*is_index_moved=*/false, found.footer, found.offset + kFooterSize});
  }
  for (const CarvedBlock& block : carved.blocks) {
    if (block.kind != CarvedBlock::Kind::kIndex || by_index.count(&block) > 0) continue;
    tables.push_back(FindTableOf(block, carved, comparator));
  }
  std::sort(tables.begin(), tables.end(),
            [](const FoundTable& a, const FoundTable& b) { return a.end < b.end; });
  return tables;
}

const FoundTable* FindLastTable(const std::vector<FoundTable>& tables, uint64_t file_size) {
  if (tables.empty()) return nullptr;
  const FoundTable& last = tables.back();
  const uint64_t end = last.footer.has_value() ? last.end : last.end + kFooterSize;
  return end == file_size && last.base_known && last.base <= 0 ? &last : nullptr;
}

namespace {

class OwnTableChooser {
 public:
  OwnTableChooser(const std::vector<FoundTable>& tables, const FoundTable* last,
                  absl::string_view file, const CarvedFile& carved, const BlockChain& chain,
                  const Comparator* comparator)
      : tables_(tables),
        last_(last),
        file_(file),
        carved_(carved),
        chain_(chain),
        comparator_(comparator) {
    for (const CarvedBlock& block : carved.blocks) {
      if (!IsData(block)) continue;
      data_.push_back(&block);
      if (chain.Of(carved, block) == BlockChain::Standing::kOwn) own_.push_back(&block);
    }
    outer_ = FindOuterData(data_, tables);
  }

  OwnTable Choose() const {
    constexpr int kMaxCandidates = 64;
    int candidates = 0;
    for (auto table = tables_.rbegin(); table != tables_.rend(); ++table) {
      if (table->index == nullptr || (last_ != nullptr && table->base != last_->base)) continue;
      // A table that starts within the file is a value if its index is within one. Otherwise a
      // damaged size made it look so.
      const BlockChain::Standing standing = chain_.Of(carved_, *table->index);
      if ((table->base > 0 || table->is_index_moved) && standing == BlockChain::Standing::kInner) {
        continue;
      }
      if (++candidates > kMaxCandidates) break;
      if (!table->base_known && !data_.empty()) continue;
      const bool is_placed = last_ != nullptr || table->base == 0 || table->is_index_moved ||
                             (table->base < 0 && !own_.empty());
      const OwnTable chosen = is_placed ? JudgePlaced(*table, standing) : JudgeShifted(*table);
      if (chosen.table != nullptr) return chosen;
    }
    return {};
  }

 private:
  // Judges a table whose start is known, or that is known not to be a value.
  OwnTable JudgePlaced(const FoundTable& table, BlockChain::Standing standing) const {
    if (table.is_index_moved && !NamesHalf(table, outer_, comparator_)) {
      const bool is_likely = standing == BlockChain::Standing::kOwn && NamesNext(table);
      return {is_likely ? &table : nullptr, /*certain=*/false};
    }
    const bool names_own = NamesHalf(table, own_, comparator_);
    if (!names_own && (table.base != 0 || !NamesHalf(table, data_, comparator_))) return {};
    return {&table, /*certain=*/names_own && (last_ != nullptr || !IsFollowedByABlock(table))};
  }

  // Judges a table that starts within the file, or has lost its start.
  OwnTable JudgeShifted(const FoundTable& table) const {
    const bool ends_file = table.footer.has_value() && table.end == file_.size();
    const IndexFinder finder(&table.index->index, comparator_);
    const auto elsewhere = [&](const CarvedBlock& block) {
      return FindElsewhere(block, table, finder, file_, carved_);
    };
    // If the enclosing block lost its start, the value begins at the start of the file.
    const auto is_value = [&](const ScannedBlock& block) {
      return ends_file && static_cast<int64_t>(EndOf(block.handle)) > table.base &&
             !finder.FindByKey(block.handle, block.first_key, block.last_key).has_value();
    };
    std::vector<const CarvedBlock*> own_but_copies;
    for (const CarvedBlock* block : own_) {
      if (elsewhere(*block) == Elsewhere::kTwice || is_value(block->data)) continue;
      own_but_copies.push_back(block);
    }
    if (!own_but_copies.empty()) {
      if (IsShiftedFromTheMiddle(table, carved_, own_but_copies, comparator_)) {
        return {&table, /*certain=*/true};
      }
      const bool is_likely = ends_file && NamesHalf(table, own_but_copies, comparator_);
      return {is_likely ? &table : nullptr, /*certain=*/false};
    }
    // Either bytes were inserted before the table or are missing from its start, or the table is
    // inside an incomplete block. It is the latter if the file has other blocks, unless the table
    // ends at the end of the file, or those blocks belong to a value in its first block.
    const int64_t start = StartsEarlier(table) ? 0 : table.base;
    const auto is_other = [&](const CarvedBlock* block) {
      const BlockHandle& handle = block->data.handle;
      if (static_cast<int64_t>(handle.offset) >= start && EndOf(handle) <= table.end) return false;
      const Elsewhere place = elsewhere(*block);
      return place == Elsewhere::kNot || place == Elsewhere::kOther;
    };
    if (!ends_file && std::any_of(data_.begin(), data_.end(), is_other)) return {};
    return {&table, /*certain=*/table.base < 0};
  }

  // Returns true if a table starts before its base: it starts at the start of the file, and bytes
  // were inserted into its first block. Then an intact block straddles the base, and it and those
  // before it, as blocks of a value, had room in the first block.
  bool StartsEarlier(const FoundTable& table) const {
    uint64_t size = 0;
    bool is_across = false;
    for (const CarvedBlock& block : carved_.blocks) {
      const BlockHandle& handle = block.data.handle;
      if (static_cast<int64_t>(handle.offset) >= table.base) break;
      size += EndOf(handle) - handle.offset;
      is_across = static_cast<int64_t>(EndOf(handle)) > table.base;
    }
    return is_across && size < table.index->index.front().handle.size;
  }

  // Returns true if another block follows the footer, as is the case for a table at the start of a
  // value.
  bool IsFollowedByABlock(const FoundTable& table) const {
    return table.footer.has_value() && carved_.LowerBound(table.end) != carved_.blocks.end();
  }

  // Returns true if an index names the block right after it.
  bool NamesNext(const FoundTable& table) const {
    const CarvedBlock* const next = carved_.Find(EndOf(table.index->data.handle));
    return next != nullptr && IsData(*next) && NamesHalf(table, {next}, comparator_);
  }

  const std::vector<FoundTable>& tables_;
  const FoundTable* const last_;
  const absl::string_view file_;
  const CarvedFile& carved_;
  const BlockChain& chain_;
  const Comparator* const comparator_;
  std::vector<const CarvedBlock*> data_;
  std::vector<const CarvedBlock*> own_;    // in the chain
  std::vector<const CarvedBlock*> outer_;  // in no table within the file
};

}  // namespace

OwnTable ChooseOwnTable(const std::vector<FoundTable>& tables, const FoundTable* last,
                        absl::string_view file, const CarvedFile& carved, const BlockChain& chain,
                        const Comparator* comparator) {
  return OwnTableChooser(tables, last, file, carved, chain, comparator).Choose();
}

}  // namespace sstable
