#include "table/salvage/carved_block.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "sstable/filter_block.h"
#include "sstable/format.h"
#include "table/block/block.h"
#include "table/metaindex.h"
#include "util/coding.h"

namespace sstable {
namespace {

// Returns true if a block is right before the footer, or has the size that the footer gives for the
// index. The offsets in the footer are wrong if bytes before it are missing.
bool IsIndexByFooter(absl::string_view file, const BlockHandle& handle) {
  if (file.size() < kFooterSize) return false;
  absl::string_view footer = file.substr(file.size() - kFooterSize);
  if (DecodeFixed64(footer.data() + kFooterHandlesSize) != kTableMagic) return false;
  if (EndOf(handle) == file.size() - kFooterSize) return true;
  footer.remove_suffix(sizeof(kTableMagic));
  const auto metaindex = BlockHandle::Parse(&footer);
  const auto index = BlockHandle::Parse(&footer);
  return metaindex.ok() && index.ok() && index->size == handle.size;
}

// Returns true if most of the handles, in order of their keys, are those of blocks that were found:
// by offset or, if the block has moved, by keys and size.
bool NameBlocks(const Index& handles, const std::vector<CarvedBlock>& blocks) {
  std::vector<bool> is_named;
  for (const IndexEntry& entry : handles) {
    const auto at = std::lower_bound(blocks.begin(), blocks.end(), entry.handle.offset,
                                     [](const CarvedBlock& block, uint64_t offset) {
                                       return block.data.handle.offset < offset;
                                     });
    is_named.push_back(at != blocks.end() && at->data.handle == entry.handle);
  }
  // The blocks of a table that was a value are right before its index.
  const size_t max_blocks = 4 * handles.size() + 64;
  const IndexFinder finder(&handles, nullptr);
  for (size_t n = blocks.size() - std::min(blocks.size(), max_blocks); n < blocks.size(); ++n) {
    if (!IsData(blocks[n])) continue;
    const ScannedBlock& data = blocks[n].data;
    const auto i = finder.FindByKey(data.handle, data.first_key, data.last_key);
    if (i.has_value()) is_named[*i] = true;
  }
  const auto count = std::count(is_named.begin(), is_named.end(), true);
  return 2 * static_cast<size_t>(count) > handles.size();
}

}  // namespace

bool IsMetaName(absl::string_view key) { return IsFilterName(key) || IsRocksDbName(key); }

bool MayBeFilterBlock(const StoredBlock& stored) {
  if (stored.type != 0 || stored.bytes.size() < kFilterBlockTailSize) return false;
  const uint64_t room = stored.bytes.size() - kFilterBlockTailSize;
  const char* const tail = stored.bytes.data() + room;
  return DecodeFixed32(tail) <= room && static_cast<uint8_t>(tail[4]) <= kMaxFilterBaseLg;
}

void Classify(const std::vector<CarvedBlock>& before, const BlockContents& contents,
              ScannedFile* file, CarvedBlock* carved) {
  Block block;
  Block::TryParse(contents.bytes, &block);
  const BlockHandle& handle = carved->data.handle;
  const CarvedBlock* const neighbour =
      !before.empty() && EndOf(before.back().data.handle) == handle.offset ? &before.back()
                                                                           : nullptr;
  if (IsRocksDbName(carved->data.first_key) && IsRocksDbName(carved->data.last_key)) {
    carved->kind = CarvedBlock::Kind::kMeta;  // the properties, unless all are handles
  }
  size_t others = 0;
  std::optional<Index> handles = file->ParseHandles(block, /*strict=*/true, &others);
  if (!handles.has_value() || handles->empty()) return;
  const bool name_blocks = NameBlocks(*handles, before);
  if (others > 0) {
    carved->may_be_index = name_blocks;
    return;
  }
  SortByOffset(&*handles);
  if (std::all_of(handles->begin(), handles->end(),
                  [](const IndexEntry& entry) { return IsMetaName(entry.key); })) {
    carved->kind = CarvedBlock::Kind::kMetaindex;
  } else if (IsBackToBack(*handles)) {
    // A single entry whose value is a handle proves little, so there must also be a block where the
    // handle says, before this one.
    const bool is_index =
        handles->size() > 1 ||
        (neighbour != nullptr &&
         (neighbour->kind == CarvedBlock::Kind::kMetaindex || neighbour->data.entry_count == 0)) ||
        IsIndexByFooter(file->bytes(), handle) ||
        (!before.empty() && before.front().data.handle == handles->front().handle);
    if (is_index) carved->kind = CarvedBlock::Kind::kIndex;
    carved->may_be_index = !is_index;
  } else {
    carved->may_be_index = name_blocks;
  }
  carved->index = *std::move(handles);
}

}  // namespace sstable
