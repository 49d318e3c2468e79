// Mutates tables so that targets reach the code that checksums protect: half of the changed blocks
// get correct checksums.
#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sstable/file.h"
#include "sstable/format.h"
#include "table/block/block_io.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/table_parts.h"
#include "tests/support/table_repair.h"

namespace sstable::fuzz {
namespace {

// Changes bytes of one block, keeping its size.
void MutateBlock(const BlockHandle& handle, std::string* table) {
  std::string block = table->substr(handle.offset, handle.size + 1);  // the block and its type byte
  auto* const bytes = reinterpret_cast<uint8_t*>(&block[0]);
  const size_t size = LLVMFuzzerMutate(bytes, block.size(), block.size());
  std::memcpy(&(*table)[handle.offset], block.data(), size);
}

// Appends a changed index or metaindex block of any size, uncompressed, after the old one.
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
  std::optional<Footer> footer = test::FindFooter(table);
  const auto choice = footer.has_value() ? random() % 8 : 0;
  if (choice == 0) {
    size_t size = table.size();
    table.resize(max_size);
    size = LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(&table[0]), size, max_size);
    table.resize(size);
  } else if (choice <= 5) {
    const std::vector<BlockHandle> handles = test::AllHandles(table, *footer);
    MutateBlock(handles[random() % handles.size()], &table);
  } else {
    ReplaceBlock(choice == 6 ? &Footer::index : &Footer::metaindex, *footer, max_size, &table);
  }
  if (random() % 2 == 0) test::RepairChecksums(&table);
  return table;
}

}  // namespace
}  // namespace sstable::fuzz

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  const std::string table = sstable::fuzz::Mutate(std::string(data, data + size), max_size, seed);
  std::copy(table.begin(), table.end(), data);
  return table.size();
}
