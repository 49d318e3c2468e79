#include "table/salvage/block_chain.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "table/block/index_entries.h"
#include "table/block/limits.h"
#include "table/salvage/block_extent.h"

namespace sstable {
namespace {

// Bytes of walks over damaged blocks. A walk ends where the next one starts, but in a file made to
// prevent that.
constexpr uint64_t kFreeWork = uint64_t{1} << 20;
constexpr uint64_t kWorkPerByte = 8;

// Whether an intact block has the bytes before `end`, so that no damaged one ends there: its
// trailer is in no other block.
bool IsOfABlock(const CarvedFile& carved, uint64_t end) {
  const auto next = carved.LowerBound(end);
  return next != carved.blocks.begin() && EndOf((next - 1)->data.handle) >= end;
}

// The end of a damaged raw block that starts at `at`, by its restart array: where one of the intact
// blocks from `next` on starts, or the data blocks end.
BlockExtent FindEnd(const ScannedFile& file, const CarvedFile& carved, uint64_t at, size_t next,
                    const BlockChainOptions& options, Budget* work) {
  BlockExtent extent = {BlockExtent::Kind::kUnknown, at, {}, ""};
  const auto ends_at = [&](uint64_t end) {
    extent.values.clear();
    if (IsOfABlock(carved, end) || !IsRawBlock(file.bytes(), at, end, work, &extent.values)) {
      return false;
    }
    extent.kind = BlockExtent::Kind::kWhole;
    extent.end = end;
    return true;
  };
  for (; next < carved.blocks.size() && work->Take(16); ++next) {
    const uint64_t end = carved.blocks[next].data.handle.offset;
    if (end > options.limit) break;
    if (ends_at(end)) return extent;
  }
  if (options.limit_known) ends_at(options.limit);
  return extent;
}

// That a block was cut is only a guess, as nothing marks its end. Keeps those of its values that
// show that they contain a table: they start with an intact block, or with other bytes and one
// whose keys are not above the last that is sure to be before, where keys ascend from `first_key`,
// the first of the file if it could be read.
void KeepTables(const CarvedFile& carved, absl::string_view first_key, absl::string_view key_before,
                BlockExtent* cut) {
  const absl::string_view last_key = cut->last_key.empty() ? key_before : cut->last_key;
  const bool ascend = first_key.empty() ? !last_key.empty() : first_key < last_key;
  const auto holds_no_table = [&](const auto& value) {
    const auto block = carved.LowerBound(value.first);
    if (block == carved.blocks.end()) return true;
    if (block->data.handle.offset == value.first) return false;
    return !IsData(*block) || !ascend || last_key < block->data.first_key;
  };
  cut->values.erase(std::remove_if(cut->values.begin(), cut->values.end(), holds_no_table),
                    cut->values.end());
}

// Which of the intact blocks from `next` on that end by the end of a damaged one are within its
// values. Adds their numbers to `*inner`; returns whether all of them are, as far as `work` lasts.
bool FindInner(const CarvedFile& carved, const BlockExtent& extent, size_t next, Budget* work,
               std::vector<size_t>* inner) {
  bool are_all = true;
  auto value = extent.values.begin();
  for (; next < carved.blocks.size(); ++next) {
    const BlockHandle& handle = carved.blocks[next].data.handle;
    if (EndOf(handle) > extent.end) break;
    if (!work->Take(16)) return false;
    while (value != extent.values.end() && value->second < EndOf(handle)) ++value;
    if (value != extent.values.end() && value->first <= handle.offset) {
      inner->push_back(next);
    } else {
      are_all = false;
    }
  }
  return are_all;
}

// Where bytes of a value are gone, or its size is damaged, a walk takes a wrong turn at its end,
// but was right about its start. If that is where intact block `next` starts, whose keys are not
// above those before, that block and those side by side with it are the value's. Returns the number
// of the first block after them.
size_t FindInnerAtStart(const CarvedFile& carved, const BlockExtent& extent, size_t next,
                        absl::string_view first_key, absl::string_view key_before,
                        BlockChain* chain) {
  if (next == carved.blocks.size() || !IsData(carved.blocks[next])) return next;
  const ScannedBlock& data = carved.blocks[next].data;
  if (!(first_key < key_before) || key_before < data.first_key) return next;
  const auto value = std::find_if(extent.values.begin(), extent.values.end(),
                                  [&](const auto& v) { return v.first == data.handle.offset; });
  if (value == extent.values.end()) return next;
  for (uint64_t at = data.handle.offset; next < carved.blocks.size(); ++next) {
    const BlockHandle& handle = carved.blocks[next].data.handle;
    if (handle.offset != at || EndOf(handle) > value->second) break;
    chain->standing[next] = BlockChain::Standing::kInner;
    at = EndOf(handle);
  }
  return next;
}

// Forward from the start of the file.
void FollowForward(const ScannedFile& file, const CarvedFile& carved,
                   const BlockChainOptions& options, BlockChain* chain) {
  Budget work(kFreeWork + kWorkPerByte * file.size());
  const auto starts_block = [&carved](uint64_t offset) { return carved.Find(offset) != nullptr; };
  BlockExtentOptions walk;
  walk.limit = options.limit;
  walk.may_be_cut = !options.limit_known && options.may_be_cut;
  absl::string_view first_key;
  bool is_certain = options.starts_at_zero, is_past_data = false;
  uint64_t at = 0;
  size_t i = 0;
  while (at < options.limit) {
    if (i < carved.blocks.size() && carved.blocks[i].data.handle.offset == at) {
      const ScannedBlock& data = carved.blocks[i].data;
      // Data after another block may be a value's: that one was written over the start of a block.
      if (IsData(carved.blocks[i]) && is_past_data) is_certain = false;
      if (is_certain) chain->standing[i] = BlockChain::Standing::kOwn;
      if (!IsData(carved.blocks[i])) is_past_data = true;
      if (walk.key_before.empty()) first_key = data.first_key;
      if (data.entry_count > 0) walk.key_before = data.last_key;
      at = EndOf(data.handle);
      ++i;
      continue;
    }
    BlockExtent extent = {BlockExtent::Kind::kUnknown, at, {}, ""};
    std::vector<size_t> inner;
    // No data block starts after one of another kind: that one was written over its start.
    if (!is_past_data && (at > 0 || options.starts_at_zero)) {
      // A damaged size of an entry is a wrong turn, so its end is looked for first. That an array
      // fits may be chance, as a walk that arrives at one is not.
      extent = FindEnd(file, carved, at, i, options, &work);
      if (extent.kind == BlockExtent::Kind::kWhole) {
        is_certain = false;
        FindInner(carved, extent, i, &work, &inner);
      } else {
        extent = FindBlockExtent(file.bytes(), at, walk, starts_block, &work);
        // What the walk has passed outside of values shows that it took a wrong turn.
        const bool are_all_inner = FindInner(carved, extent, i, &work, &inner);
        if (!are_all_inner ||
            (extent.kind == BlockExtent::Kind::kWhole && IsOfABlock(carved, extent.end))) {
          extent.kind = BlockExtent::Kind::kUnknown;
        }
        if (extent.kind == BlockExtent::Kind::kCut) {
          KeepTables(carved, first_key, walk.key_before, &extent);
          inner.clear();
          FindInner(carved, extent, i, &work, &inner);
        }
      }
    }
    if (extent.kind != BlockExtent::Kind::kUnknown) {
      for (const size_t n : inner) chain->standing[n] = BlockChain::Standing::kInner;
      while (i < carved.blocks.size() && EndOf(carved.blocks[i].data.handle) <= extent.end) ++i;
      at = extent.end;
      continue;
    }
    is_certain = false;
    i = FindInnerAtStart(carved, extent, i, first_key, walk.key_before, chain);
    if (i == carved.blocks.size()) return;
    at = carved.blocks[i].data.handle.offset;
  }
}

// Back from the limit. No block of a value ends where the block does that has the value, unless
// bytes are gone after it: then it may be the last of a table, as blocks other than data show, or
// its size.
void FollowBack(const CarvedFile& carved, const BlockChainOptions& options, BlockChain* chain) {
  uint64_t limit = options.limit;
  const size_t end = carved.LowerBound(limit) - carved.blocks.begin();
  if (end > 0 && carved.blocks[end - 1].data.handle.size !=
                     options.last_size.value_or(carved.blocks[end - 1].data.handle.size)) {
    return;
  }
  size_t first = end;
  for (; first > 0 && EndOf(carved.blocks[first - 1].data.handle) == limit; --first) {
    if (!IsData(carved.blocks[first - 1])) return;
    limit = carved.blocks[first - 1].data.handle.offset;
  }
  std::fill(chain->standing.begin() + first, chain->standing.begin() + end,
            BlockChain::Standing::kOwn);
}

}  // namespace

BlockChain FollowChain(const ScannedFile& file, const CarvedFile& carved,
                       const BlockChainOptions& options) {
  BlockChain chain;
  chain.standing.assign(carved.blocks.size(), BlockChain::Standing::kUnknown);
  FollowForward(file, carved, options, &chain);
  if (options.limit_known) {
    FollowBack(carved, options, &chain);
    for (size_t i = carved.LowerBound(options.limit) - carved.blocks.begin();
         i < carved.blocks.size(); ++i) {
      if (!IsData(carved.blocks[i])) chain.standing[i] = BlockChain::Standing::kOwn;
    }
  }
  return chain;
}

}  // namespace sstable
