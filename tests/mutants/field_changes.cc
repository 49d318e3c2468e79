// Moves blocks with their checksums, and changes fields of blocks and the footer.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/mutants/changes.h"
#include "tests/support/table_repair.h"
#include "util/coding.h"

namespace sstable::mutants {
namespace {

uint64_t StoredSize(const BlockHandle& handle) { return handle.size + kBlockTrailerSize; }

std::string Show(const BlockHandle& handle) {
  return absl::StrCat("(", handle.offset, ", ", handle.size, ")");
}

// Returns a block that is still inside the file, or null.
const OriginalBlock* ChooseBlock(const Original& original, const std::string& bytes,
                                 Random* random) {
  if (original.blocks.empty()) return nullptr;
  const OriginalBlock* block = &random->Pick(original.blocks);
  // Chooses one of the few other blocks as often as a data block.
  if (random->OneIn(2)) {
    const size_t first = original.blocks.size() - std::min<size_t>(original.blocks.size(), 3);
    block = &original.blocks[first + random->Below(original.blocks.size() - first)];
  }
  return block->handle.offset + StoredSize(block->handle) <= bytes.size() ? block : nullptr;
}

std::string Cut(const std::string& bytes, const BlockHandle& handle) {
  return bytes.substr(handle.offset, StoredSize(handle));
}

std::string RemoveBlock(const Original& original, Random* random, std::string* bytes) {
  const OriginalBlock* const block = ChooseBlock(original, *bytes, random);
  if (block == nullptr) return "";
  bytes->erase(block->handle.offset, StoredSize(block->handle));
  return DescribeBlock(block->kind, block->handle);
}

std::string DuplicateBlock(const Original& original, Random* random, std::string* bytes) {
  const OriginalBlock* const block = ChooseBlock(original, *bytes, random);
  const OriginalBlock* const place = ChooseBlock(original, *bytes, random);
  if (block == nullptr || place == nullptr) return "";
  bytes->insert(place->handle.offset, Cut(*bytes, block->handle));
  return absl::StrCat(DescribeBlock(block->kind, block->handle), " at ", place->handle.offset);
}

// Swaps blocks, preferably of the same size: the index then shows no difference.
std::string SwapBlocks(const Original& original, Random* random, std::string* bytes) {
  const OriginalBlock* a = ChooseBlock(original, *bytes, random);
  const OriginalBlock* b = ChooseBlock(original, *bytes, random);
  if (a == nullptr || b == nullptr) return "";
  for (const OriginalBlock& other : original.blocks) {
    if (&other != a && other.handle.size == a->handle.size && random->OneIn(2)) b = &other;
  }
  if (a->handle.offset > b->handle.offset) std::swap(a, b);
  if (a->handle.offset + StoredSize(a->handle) > b->handle.offset) return "";
  if (b->handle.offset + StoredSize(b->handle) > bytes->size()) return "";
  const std::string first = Cut(*bytes, a->handle);
  const std::string second = Cut(*bytes, b->handle);
  bytes->replace(b->handle.offset, second.size(), first);
  bytes->replace(a->handle.offset, first.size(), second);
  return absl::StrCat(Show(a->handle), " and ", Show(b->handle));
}

// Overwrites a block with another, like a disk that writes to the wrong sector. The file size stays
// the same.
std::string OverwriteBlock(const Original& original, Random* random, std::string* bytes) {
  const OriginalBlock* const from = ChooseBlock(original, *bytes, random);
  const OriginalBlock* to = ChooseBlock(original, *bytes, random);
  if (from == nullptr || to == nullptr) return "";
  for (const OriginalBlock& other : original.blocks) {
    if (other.handle.size == from->handle.size && random->OneIn(2)) to = &other;
  }
  if (to->handle.offset + StoredSize(to->handle) > bytes->size()) return "";
  const std::string block = Cut(*bytes, from->handle);
  bytes->replace(to->handle.offset, std::min(block.size(), bytes->size() - to->handle.offset),
                 block, 0, bytes->size() - to->handle.offset);
  return absl::StrCat(Show(from->handle), " over ", Show(to->handle));
}

std::string EditTypeByte(const Original& original, Random* random, std::string* bytes) {
  const OriginalBlock* const block = ChooseBlock(original, *bytes, random);
  if (block == nullptr) return "";
  const size_t type = random->OneIn(4) ? random->Below(256) : random->Below(8);
  (*bytes)[block->handle.offset + block->handle.size] = static_cast<char>(type);
  return absl::StrCat(DescribeBlock(block->kind, block->handle), " is ", type);
}

std::string EditChecksum(const Original& original, Random* random, std::string* bytes) {
  const OriginalBlock* const block = ChooseBlock(original, *bytes, random);
  if (block == nullptr) return "";
  const uint32_t crc = random->OneIn(2) ? 0 : static_cast<uint32_t>(random->Number());
  EncodeFixed32(&(*bytes)[block->handle.offset + block->handle.size + 1], crc);
  return absl::StrCat(DescribeBlock(block->kind, block->handle), " has ", crc);
}

uint32_t TellingNumber(uint32_t old, Random* random) {
  const uint32_t numbers[] = {0,       1,      old + 1,    old - 1, static_cast<uint32_t>(1) << 31,
                              old * 2, ~0u,    0x7fffffff, old + 4, static_cast<uint32_t>(old - 4),
                              old / 2, 0x40000};
  return random->Pick(numbers);
}

std::string EditFixed32(size_t at, Random* random, std::string* bytes) {
  const uint32_t old = DecodeFixed32(bytes->data() + at);
  const uint32_t number = TellingNumber(old, random);
  EncodeFixed32(&(*bytes)[at], number);
  return absl::StrCat(old, " at ", at, " is ", number);
}

// Changes the restart points or the restart count of an uncompressed block.
std::string EditRestarts(const Original& original, Random* random, std::string* bytes) {
  const OriginalBlock* const block = ChooseBlock(original, *bytes, random);
  if (block == nullptr || block->type != 0 || block->handle.size < 4) return "";
  const size_t end = block->handle.offset + block->handle.size;
  const uint32_t count = DecodeFixed32(bytes->data() + end - 4);
  if (count > block->handle.size / 4 - 1) return "";
  return EditFixed32(end - 4 - 4 * random->Below(count + 1), random, bytes);
}

// Changes the offsets of a filter block, or its base lg.
std::string EditFilterOffsets(const Original& original, Random* random, std::string* bytes) {
  for (const OriginalBlock& block : original.blocks) {
    const size_t end = block.handle.offset + block.handle.size;
    if (block.kind != BlockKind::kFilter || block.handle.size < 5 || end > bytes->size()) continue;
    if (random->OneIn(4)) {
      (*bytes)[end - 1] = static_cast<char>(random->Below(66));
      return absl::StrCat("base lg is ", static_cast<int>((*bytes)[end - 1]));
    }
    const uint32_t array = DecodeFixed32(bytes->data() + end - 5);
    if (array > block.handle.size - 5) return "";
    const size_t count = (block.handle.size - 5 - array) / 4;
    return EditFixed32(block.handle.offset + array + 4 * random->Below(count + 1), random, bytes);
  }
  return "";
}

// Changes a filter's bits, or the probe count at its end.
std::string EditFilterBits(const Original& original, Random* random, std::string* bytes) {
  for (const OriginalBlock& block : original.blocks) {
    const size_t end = block.handle.offset + block.handle.size;
    if (block.kind != BlockKind::kFilter || block.handle.size == 0 || end > bytes->size()) continue;
    const size_t at = block.handle.offset + random->Below(block.handle.size);
    const size_t size = random->OneIn(2) ? 1 : std::min(random->Below(200), end - at);
    std::fill_n(bytes->begin() + static_cast<ptrdiff_t>(at), size,
                static_cast<char>(random->OneIn(2) ? 0 : random->Below(256)));
    return absl::StrCat(size, " bytes at ", at);
  }
  return "";
}

uint64_t EditedNumber(uint64_t old, Random* random) {
  const uint64_t numbers[] = {0,       1,       old + 1, old - 1, old + 5,         old - 5,
                              old * 2, old / 2, ~0ull,   1 << 20, old ^ (1 << 12), old + 48};
  return random->Pick(numbers);
}

// Changes handles slightly, swaps them, or points them to other blocks.
std::string EditFooter(const Original& original, Random* random, std::string* bytes) {
  std::optional<Footer> footer = test::FindFooter(*bytes);
  if (!footer.has_value() || original.blocks.empty()) return "";
  BlockHandle& handle = random->OneIn(3) ? footer->metaindex : footer->index;
  switch (random->Below(6)) {
    case 0:
      std::swap(footer->metaindex, footer->index);
      break;
    case 1:
      footer->index = footer->metaindex;
      break;
    case 2:
      handle = random->Pick(original.blocks).handle;
      break;
    case 3:
      handle.offset = EditedNumber(handle.offset, random);
      break;
    default:
      handle.size = EditedNumber(handle.size, random);
  }
  if (footer->metaindex.Encode().size() + footer->index.Encode().size() > kFooterHandlesSize) {
    return "";
  }
  bytes->replace(bytes->size() - kFooterSize, kFooterSize, footer->Encode());
  return absl::StrCat("metaindex ", Show(footer->metaindex), ", index ", Show(footer->index));
}

std::string EditFooterByte(const Original&, Random* random, std::string* bytes) {
  if (bytes->size() < kFooterSize) return "";
  const size_t at = random->Below(kFooterSize);
  const size_t byte = random->Below(256);
  (*bytes)[bytes->size() - kFooterSize + at] = static_cast<char>(byte);
  return absl::StrCat("byte ", at, " is ", byte);
}

constexpr Change kChanges[] = {
    {"remove-block", RemoveBlock},   {"duplicate-block", DuplicateBlock},
    {"swap-blocks", SwapBlocks},     {"overwrite-block", OverwriteBlock},
    {"type-byte", EditTypeByte},     {"checksum", EditChecksum},
    {"restarts", EditRestarts},      {"filter-offsets", EditFilterOffsets},
    {"filter-bits", EditFilterBits}, {"footer-handles", EditFooter},
    {"footer-byte", EditFooterByte},
};

}  // namespace

absl::Span<const Change> FieldChanges() { return kChanges; }

}  // namespace sstable::mutants
