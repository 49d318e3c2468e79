#include "table/salvage/block_chain.h"

#include <optional>

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
std::optional<uint64_t> FindEnd(const ScannedFile& file, const CarvedFile& carved, uint64_t at,
                                size_t next, const BlockChainOptions& options, Budget* work) {
  for (; next < carved.blocks.size() && work->Take(16); ++next) {
    const uint64_t end = carved.blocks[next].data.handle.offset;
    if (end > options.limit) break;
    if (!IsOfABlock(carved, end) && IsRawBlock(file.bytes(), at, end, work)) return end;
  }
  if (options.limit_known && !IsOfABlock(carved, options.limit) &&
      IsRawBlock(file.bytes(), at, options.limit, work)) {
    return options.limit;
  }
  return std::nullopt;
}

// Forward from the start of the file.
void FollowForward(const ScannedFile& file, const CarvedFile& carved,
                   const BlockChainOptions& options, BlockChain* chain) {
  Budget work(kFreeWork + kWorkPerByte * file.size());
  const auto starts_block = [&carved](uint64_t offset) { return carved.Find(offset) != nullptr; };
  BlockExtentOptions walk;
  walk.limit = options.limit;
  walk.may_be_cut = !options.limit_known;
  bool is_certain = true;
  uint64_t at = 0;
  size_t i = 0;
  const auto skip_inner = [&](uint64_t end) {
    for (; i < carved.blocks.size() && EndOf(carved.blocks[i].data.handle) <= end; ++i) {
      chain->standing[i] = BlockChain::Standing::kInner;
    }
  };
  while (at < options.limit) {
    if (i < carved.blocks.size() && carved.blocks[i].data.handle.offset == at) {
      const ScannedBlock& data = carved.blocks[i].data;
      if (is_certain) chain->standing[i] = BlockChain::Standing::kOwn;
      if (data.entry_count > 0) walk.key_before = data.last_key;
      at = EndOf(data.handle);
      ++i;
      continue;
    }
    BlockExtent extent = {BlockExtent::Kind::kUnknown, at};
    if (at > 0 || options.starts_at_zero) {
      // A damaged size of an entry is a wrong turn, so its end is looked for first. That an array
      // fits may be chance, as a walk that arrives at one is not.
      const std::optional<uint64_t> end = FindEnd(file, carved, at, i, options, &work);
      is_certain &= !end.has_value();
      extent = end.has_value() ? BlockExtent{BlockExtent::Kind::kWhole, *end}
                               : FindBlockExtent(file.bytes(), at, walk, starts_block, &work);
    }
    if (extent.kind == BlockExtent::Kind::kWhole && IsOfABlock(carved, extent.end)) {
      extent.kind = BlockExtent::Kind::kUnknown;
    }
    if (extent.kind != BlockExtent::Kind::kUnknown) {
      skip_inner(extent.end);
      at = extent.end;
      continue;
    }
    is_certain = false;
    if (i == carved.blocks.size()) return;
    at = carved.blocks[i].data.handle.offset;
  }
}

// Back from `limit`. No block of a value ends where the block does that has the value.
void FollowBack(const CarvedFile& carved, uint64_t limit, BlockChain* chain) {
  for (size_t i = carved.LowerBound(limit) - carved.blocks.begin(); i > 0; --i) {
    const BlockHandle& handle = carved.blocks[i - 1].data.handle;
    if (EndOf(handle) != limit) return;
    chain->standing[i - 1] = BlockChain::Standing::kOwn;
    limit = handle.offset;
  }
}

}  // namespace

BlockChain FollowChain(const ScannedFile& file, const CarvedFile& carved,
                       const BlockChainOptions& options) {
  BlockChain chain;
  chain.standing.assign(carved.blocks.size(), BlockChain::Standing::kUnknown);
  FollowForward(file, carved, options, &chain);
  if (options.limit_known) {
    FollowBack(carved, options.limit, &chain);
    for (size_t i = carved.LowerBound(options.limit) - carved.blocks.begin();
         i < carved.blocks.size(); ++i) {
      chain.standing[i] = BlockChain::Standing::kOwn;
    }
  }
  return chain;
}

}  // namespace sstable
