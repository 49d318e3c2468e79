#include "table/salvage/own_blocks.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sstable/format.h"

namespace sstable {
namespace {

constexpr size_t kMaxCandidates = 64;  // each is compared with all blocks

bool EndsTable(const CarvedBlock& block) {
  return block.kind == CarvedBlock::Kind::kIndex || block.kind == CarvedBlock::Kind::kMetaindex;
}

// Returns how many of the data blocks in `among` have the keys and size of an index entry. Sets
// `*count` to their total number.
size_t CountNamed(const CarvedFile& carved, const std::vector<bool>& among,
                  const IndexFinder& finder, size_t* count) {
  size_t named = 0;
  *count = 0;
  for (size_t n = 0; n < carved.blocks.size(); ++n) {
    const ScannedBlock& data = carved.blocks[n].data;
    if (!among[n] || !IsData(carved.blocks[n]) || carved.blocks[n].data.may_be_index) continue;
    ++*count;
    if (finder.Find(data.handle, data.first_key, data.last_key).has_value()) ++named;
  }
  return named;
}

// The start of the table for which the most blocks of an index are where the index says.
struct BaseByBlocks {
  std::optional<int64_t> base;  // nullopt if there is none, or more than one
  size_t blocks = 0;            // number of those blocks
};

BaseByBlocks FindBaseByBlocks(const CarvedFile& carved, const Index& index,
                              const IndexFinder& finder) {
  std::map<int64_t, size_t> counts;
  for (const CarvedBlock& block : carved.blocks) {
    if (!IsData(block)) continue;
    const ScannedBlock& data = block.data;
    const auto i = finder.FindByKey(data.handle, data.first_key, data.last_key);
    if (i.has_value()) ++counts[static_cast<int64_t>(data.handle.offset - index[*i].handle.offset)];
  }
  BaseByBlocks most;
  for (const auto& [base, count] : counts) {
    if (count < most.blocks) continue;
    most.base = count > most.blocks ? std::optional<int64_t>(base) : std::nullopt;
    most.blocks = count;
  }
  return most;
}

}  // namespace

std::optional<int64_t> BaseOf(const CarvedFile& carved, size_t n) {
  const CarvedBlock* block = &carved.blocks[n];
  const Index* before = &block->index;  // the blocks that end where `block` starts
  if (block->kind == CarvedBlock::Kind::kIndex) {
    // The metaindex block precedes the index block. The meta blocks, or the data blocks if there
    // are none, precede the metaindex block.
    if (!carved.TouchesPrevious(n)) return std::nullopt;
    block = &carved.blocks[n - 1];
    if (block->kind == CarvedBlock::Kind::kMetaindex) {
      before = &block->index;
    } else if (block->data.entry_count > 0) {
      return std::nullopt;
    }
  }
  uint64_t end = 0;
  for (const IndexEntry& entry : *before) end = std::max(end, EndOf(entry.handle));
  return static_cast<int64_t>(block->data.handle.offset - end);
}

std::optional<OwnIndex> ChooseIndex(const CarvedFile& carved, uint64_t file_size,
                                    const TableTail& tail, const Comparator* comparator) {
  const std::vector<CarvedBlock>& blocks = carved.blocks;
  const std::vector<bool> all(blocks.size(), true);
  const std::vector<bool> known = FindOwnBlocks(carved, tail, nullptr, comparator).is_certain;
  std::optional<size_t> in_footer;
  if (tail.footer.has_value()) in_footer = carved.Find(tail.footer->index, tail.shift);
  std::optional<OwnIndex> uncertain;
  size_t candidates = 0;
  // True if a table with a missing start ends after the candidate, which may have been in one of
  // its values.
  bool is_contradicted = false;
  for (size_t n = blocks.size(); n-- > 0 && candidates < kMaxCandidates;) {
    if (n + 1 < blocks.size() && EndsTable(blocks[n + 1])) {
      is_contradicted |= BaseOf(carved, n + 1).value_or(0) < 0;
    }
    const bool is_in_footer = in_footer == n && !blocks[n].index.empty();
    if (blocks[n].kind != CarvedBlock::Kind::kIndex && !is_in_footer) continue;
    ++candidates;
    const IndexFinder finder(&blocks[n].index, comparator);
    const BaseByBlocks by_blocks = FindBaseByBlocks(carved, blocks[n].index, finder);
    std::optional<int64_t> base = is_in_footer ? tail.shift : BaseOf(carved, n);
    // If the footer is where it should be, nothing was inserted before the table.
    if (base > 0 && tail.footer.has_value() && tail.shift == 0) continue;
    bool is_base_certain = base.has_value();
    if (!is_base_certain) {
      base = by_blocks.base;
      is_base_certain = base.has_value() && 2 * by_blocks.blocks > blocks[n].index.size();
    }
    // Data may follow the index of a table in a value. None follows the file's own index, unless
    // blocks have moved.
    const auto is_unnamed_data = [&finder](const CarvedBlock& block) {
      const ScannedBlock& data = block.data;
      return IsData(block) && !block.data.may_be_index &&
             !finder.Find(data.handle, data.first_key, data.last_key).has_value();
    };
    const bool is_followed = std::any_of(blocks.begin() + static_cast<std::ptrdiff_t>(n) + 1,
                                         blocks.end(), is_unnamed_data);
    const bool ends_file = EndOf(blocks[n].data.handle) + kFooterSize >= file_size;
    const bool certain = !is_followed && !is_contradicted &&
                         (known[n] || (is_base_certain && (base == 0 || (base < 0 && ends_file))));
    size_t count = 0, named = CountNamed(carved, known, finder, &count);
    if (count == 0 || (certain && named == 0)) named = CountNamed(carved, all, finder, &count);
    const bool is_in_place = by_blocks.base == 0 || (ends_file && base.value_or(0) <= 0) ||
                             (count > 0 && 2 * named >= count);
    if (certain ? named == 0 && count > 0 : !is_in_place) continue;
    OwnIndex own{blocks[n].index, blocks[n].data.handle.offset, base.value_or(0), certain, n};
    if (certain) return own;
    if (!uncertain.has_value()) uncertain = std::move(own);
  }
  return uncertain;
}

OwnBlocks FindOwnBlocks(const CarvedFile& carved, const TableTail& tail, const OwnIndex* own,
                        const Comparator* comparator) {
  const std::vector<CarvedBlock>& blocks = carved.blocks;
  OwnBlocks result;
  std::vector<bool>& is_certain = result.is_certain;
  is_certain.assign(blocks.size(), false);
  // Handles are relative to 0. If bytes are missing, handles of blocks after the gap are relative
  // to `base`.
  int64_t base = own != nullptr && own->certain ? own->base : tail.footer ? tail.shift : 0;
  base = std::min<int64_t>(base, 0);
  const auto add = [&](const BlockHandle& handle) {
    for (const int64_t from : {int64_t{0}, base}) {
      if (const auto n = carved.Find(handle, from)) is_certain[*n] = true;
    }
  };
  if (tail.footer.has_value() && tail.shift <= 0) {
    add(tail.footer->metaindex);
    add(tail.footer->index);
    for (const MetaBlock& meta : tail.meta_blocks) add(meta.handle);
  }
  if (tail.IsWhole()) {  // even if these blocks are damaged
    const Footer& footer = *tail.footer;
    std::set<uint64_t> starts = {footer.metaindex.offset, footer.index.offset,
                                 std::max(EndOf(footer.metaindex), EndOf(footer.index))};
    for (const MetaBlock& meta : tail.meta_blocks) starts.insert(meta.handle.offset);
    for (size_t n = 0; n < blocks.size(); ++n) {
      if (starts.count(EndOf(blocks[n].data.handle)) > 0) is_certain[n] = true;
    }
  }
  if (own != nullptr) {
    if (own->block.has_value() && own->certain) is_certain[*own->block] = true;
    const IndexFinder finder(&own->entries, comparator);
    for (size_t i = 0; i < own->entries.size(); ++i) {
      for (const int64_t from : {int64_t{0}, base}) {
        const auto n = carved.Find(own->entries[i].handle, from);
        if (!n.has_value()) continue;
        const ScannedBlock& data = blocks[*n].data;
        if (finder.MayBeEntryOf(i, data.first_key, data.last_key)) is_certain[*n] = true;
      }
    }
  }
  // Handles in the file prove that no bytes before them are missing.
  const bool is_proved = (own != nullptr && own->certain) ||
                         (own == nullptr && tail.footer.has_value() && tail.shift == 0);
  // If a table with a missing start ends after this one, this one may have been in one of its
  // values.
  bool is_contradicted = tail.footer.has_value() && tail.shift != 0;
  for (size_t n = blocks.size(); n-- > 0;) {
    if (IsData(blocks[n])) is_contradicted = true;
    if (!EndsTable(blocks[n])) continue;
    const std::optional<int64_t> base_of_end = BaseOf(carved, n);
    if (base_of_end.value_or(0) < 0) is_contradicted = true;
    if (base_of_end != 0) continue;
    is_certain[n] = true;
    if (!is_proved && is_contradicted) result.start_in_doubt = true;
  }
  const auto add_neighbours = [&] {
    for (size_t n = 0, end = 0; n < blocks.size(); n = end) {
      end = carved.EndOfRun(n);
      const auto first = is_certain.begin() + static_cast<std::ptrdiff_t>(n);
      const auto last = is_certain.begin() + static_cast<std::ptrdiff_t>(end);
      if (std::find(first, last, true) != last) std::fill(first, last, true);
    }
  };
  add_neighbours();
  // A single block that may be an index is no evidence: it may be a copy of the index at the end.
  const bool has_start =
      !blocks.empty() && blocks[0].data.handle.offset == 0 && base == 0 &&
      !(blocks[0].data.may_be_index && (blocks.size() == 1 || !carved.TouchesPrevious(1)));
  if (has_start && !is_certain[0]) {
    is_certain[0] = true;
    add_neighbours();
    for (size_t n = 0; n < blocks.size() && !is_proved; ++n) {
      if (!is_certain[n]) result.start_in_doubt = true;
    }
  }
  return result;
}

}  // namespace sstable
