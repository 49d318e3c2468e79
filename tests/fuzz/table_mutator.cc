// Changes tables so that what lies behind a checksum is reached: half of the time, what was
// changed gets checksums that are right.
#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "table/block.h"
#include "table/block_io.h"
#include "table/block_iterator.h"
#include "table/format.h"
#include "table/key_order.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/table_parts.h"
#include "util/comparator.h"
#include "util/file.h"

namespace sstable::fuzz {
namespace {

constexpr size_t kMaxHandles = 1000;

std::optional<Footer> ParseFooter(absl::string_view table) {
  if (table.size() < kFooterSize) return std::nullopt;
  const auto footer = Footer::Parse(table.substr(table.size() - kFooterSize), table.size());
  return footer.ok() ? std::optional<Footer>(*footer) : std::nullopt;
}

// The handles in a block of them that fit the file. Its checksum is not looked at.
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

void RepairChecksum(const BlockHandle& handle, std::string* table) {
  const absl::string_view block(table->data() + handle.offset, handle.size);
  const size_t trailer = handle.offset + handle.size;
  const std::string repaired = test::EncodeTrailer(block, static_cast<uint8_t>((*table)[trailer]));
  std::copy(repaired.begin(), repaired.end(), table->begin() + static_cast<ptrdiff_t>(trailer));
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
  const std::optional<Footer> footer = ParseFooter(*table);
  if (!footer.has_value()) return;
  for (const BlockHandle& handle : AllHandles(*table, *footer)) RepairChecksum(handle, table);
}

// Changes bytes of one block, which stays as large as it is.
void MutateBlock(const BlockHandle& handle, std::string* table) {
  std::string block = table->substr(handle.offset, handle.size + 1);  // with its type byte
  auto* const bytes = reinterpret_cast<uint8_t*>(&block[0]);
  const size_t size = LLVMFuzzerMutate(bytes, block.size(), block.size());
  std::memcpy(&(*table)[handle.offset], block.data(), size);
}

// Puts a changed index or metaindex block of any size, uncompressed, behind the old one.
void ReplaceBlock(BlockHandle Footer::*which, Footer footer, size_t max_size, std::string* table) {
  const auto file = NewMemoryFile(*table);
  BlockReadOptions options;
  options.verify_checksum = false;
  options.max_uncompressed_size = max_size;
  const auto contents = ReadBlock(*file, BlockKind::kIndex, footer.*which, options);
  const size_t room = max_size - std::min(max_size, table->size() + kBlockTrailerSize);
  if (!contents.ok() || contents->bytes.size() > room) return;
  std::string block(contents->bytes);
  const size_t old_size = block.size();
  block.resize(std::min(room, old_size + 64));
  const size_t size =
      LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(&block[0]), old_size, block.size());
  block.resize(size);
  table->resize(table->size() - kFooterSize);
  footer.*which = {table->size(), size};
  *table += block + test::EncodeTrailer(block, 0) + footer.Encode();
}

std::string Mutate(std::string table, size_t max_size, unsigned seed) {
  std::minstd_rand random(seed);
  std::optional<Footer> footer = ParseFooter(table);
  const auto choice = footer.has_value() ? random() % 8 : 0;
  if (choice == 0) {
    size_t size = table.size();
    table.resize(max_size);
    size = LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(&table[0]), size, max_size);
    table.resize(size);
  } else if (choice <= 5) {
    const std::vector<BlockHandle> handles = AllHandles(table, *footer);
    MutateBlock(handles[random() % handles.size()], &table);
  } else {
    ReplaceBlock(choice == 6 ? &Footer::index : &Footer::metaindex, *footer, max_size, &table);
  }
  if (random() % 2 == 0) RepairChecksums(&table);
  return table;
}

}  // namespace
}  // namespace sstable::fuzz

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  const std::string table = sstable::fuzz::Mutate(std::string(data, data + size), max_size, seed);
  std::copy(table.begin(), table.end(), data);
  return table.size();
}
