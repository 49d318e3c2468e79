#include "tests/support/table_repair.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sstable/comparator.h"
#include "sstable/file.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/block_iterator.h"
#include "table/block/key_order.h"
#include "tests/support/table_parts.h"

namespace sstable::test {
namespace {

constexpr size_t kMaxHandles = 1000;

void RepairChecksum(const BlockHandle& handle, std::string* table) {
  const absl::string_view block(table->data() + handle.offset, handle.size);
  const size_t trailer = handle.offset + handle.size;
  const std::string repaired = EncodeTrailer(block, static_cast<uint8_t>((*table)[trailer]));
  std::copy(repaired.begin(), repaired.end(), table->begin() + static_cast<ptrdiff_t>(trailer));
}

}  // namespace

std::optional<Footer> FindFooter(absl::string_view table) {
  if (table.size() < kFooterSize) return std::nullopt;
  const auto footer = Footer::Parse(table.substr(table.size() - kFooterSize), table.size());
  return footer.ok() ? std::optional<Footer>(*footer) : std::nullopt;
}

std::vector<BlockHandle> HandlesIn(const std::string& table, const BlockHandle& block) {
  std::vector<BlockHandle> handles;
  const auto file = NewMemoryFile(table);
  BlockReadOptions options;
  options.verify_checksum = false;
  options.max_uncompressed_size = 1 << 20;
  const auto contents = ReadBlock(*file, BlockKind::kIndex, block, options);
  if (!contents.ok()) return handles;
  const auto parsed = Block::Parse(contents->bytes);
  if (!parsed.ok()) return handles;
  const KeyOrder order(BytewiseComparator(), KeyKind::kPlain);
  BlockIterator it(&order, *parsed);
  for (it.SeekToFirst(); it.Valid() && handles.size() < kMaxHandles; it.Next()) {
    absl::string_view value = it.value();
    const auto handle = BlockHandle::Parse(&value);
    if (handle.ok() && FitsInFile(*handle, table.size())) handles.push_back(*handle);
  }
  return handles;
}

std::vector<BlockHandle> AllHandles(const std::string& table, const Footer& footer) {
  std::vector<BlockHandle> handles = HandlesIn(table, footer.index);
  const std::vector<BlockHandle> meta = HandlesIn(table, footer.metaindex);
  handles.insert(handles.end(), meta.begin(), meta.end());
  handles.push_back(footer.index);
  handles.push_back(footer.metaindex);
  return handles;
}

void RepairChecksums(std::string* table) {
  const std::optional<Footer> footer = FindFooter(*table);
  if (!footer.has_value()) return;
  for (const BlockHandle& handle : AllHandles(*table, *footer)) RepairChecksum(handle, table);
}

}  // namespace sstable::test
