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

// Limits the work of walks over damaged blocks, in bytes. A walk ends where the next one starts,
// except in a file made to prevent that.
constexpr uint64_t kFreeWork = uint64_t{1} << 20;
constexpr uint64_t kWorkPerByte = 8;

// Returns true if the bytes before `end` are an intact block's. No damaged block ends there then,
// since its trailer would be in no other block.
bool IsOfABlock(const CarvedFile& carved, uint64_t end) {
  const auto next = carved.LowerBound(end);
  return next != carved.blocks.begin() && EndOf((next - 1)->data.handle) >= end;
}

// Finds the end of a damaged raw block that starts at `at` by its restart array. The candidates are
// the starts of the intact blocks from `next` on, and the end of the data blocks.
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

// It is only a guess that a block was cut, as nothing marks its end. So keeps only those of its
// values that show that they contain a table. Such a value starts with an intact block, or with
// other bytes and then a block whose keys are not above the last key that certainly precedes it,
// provided that keys ascend from `first_key`, the first of the file if it could be read.
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

// Adds to `*inner` the intact blocks from `next` on that end within a damaged block and are within
// its values. Returns true if all that end there are; false if `work` runs out.
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

// If bytes of a value are missing, or its size is damaged, a walk goes wrong at the value's end,
// but its start is correct. If intact block `next` starts there, and its keys are not above the
// keys before, it and the blocks contiguous with it belong to the value. Returns the first block
// after them.
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

// Follows the chain from the start of the file.
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
      // A data block after another kind of block may be a value's: the other one may have been
      // written over the start of a block.
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
    // No data block starts after a block of another kind, which may have been written over the
    // start of a data block.
    if (!is_past_data && (at > 0 || options.starts_at_zero)) {
      // A damaged size of an entry leads the walk astray, so first look for the end. A fitting
      // restart array may be chance; one that a walk arrives at is not.
      extent = FindEnd(file, carved, at, i, options, &work);
      if (extent.kind == BlockExtent::Kind::kWhole) {
        is_certain = false;
        FindInner(carved, extent, i, &work, &inner);
      } else {
        extent = FindBlockExtent(file.bytes(), at, walk, starts_block, &work);
        // A block that the walk passed outside of values shows that it went astray.
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

// Follows the chain back from the limit. A block inside a value never ends where the enclosing
// block ends, unless bytes after it are missing. Then it may be the last block of the inner table,
// as blocks other than data or its size show.
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
