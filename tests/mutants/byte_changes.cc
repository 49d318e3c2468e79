// Flips, sets, zeroes, removes and inserts bytes: damage that any file may suffer.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/mutants/changes.h"

namespace sstable::mutants {
namespace {

// Mostly chooses a random block or the footer first, since most bytes of a file are values.
size_t ChooseOffset(const Original& original, const std::string& bytes, Random* random) {
  size_t offset = random->Below(bytes.size());
  const size_t choice = random->Below(8);
  if (choice < 5 && !original.blocks.empty()) {
    const OriginalBlock& block = random->Pick(original.blocks);
    offset = block.handle.offset + random->Below(block.handle.size + kBlockTrailerSize);
  } else if (choice == 5) {
    offset = bytes.size() - 1 - random->Below(std::min(bytes.size(), kFooterSize));
  }
  return std::min(offset, bytes.size() - 1);
}

std::string FlipBit(const Original& original, Random* random, std::string* bytes) {
  if (bytes->empty()) return "";
  const size_t at = ChooseOffset(original, *bytes, random);
  const size_t bit = random->Below(8);
  (*bytes)[at] = static_cast<char>((*bytes)[at] ^ (1 << bit));
  return absl::StrCat("bit ", bit, " of byte ", at);
}

std::string SetByte(const Original& original, Random* random, std::string* bytes) {
  constexpr uint8_t kTelling[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
  if (bytes->empty()) return "";
  const size_t at = ChooseOffset(original, *bytes, random);
  const auto byte =
      random->OneIn(2) ? random->Pick(kTelling) : static_cast<uint8_t>(random->Below(256));
  (*bytes)[at] = static_cast<char>(byte);
  return absl::StrCat("byte ", at, " is ", byte);
}

// Fills sectors, pages or other runs of bytes with 0x00 or 0xff.
std::string FillRun(const Original& original, Random* random, std::string* bytes) {
  if (bytes->empty()) return "";
  size_t at = ChooseOffset(original, *bytes, random);
  size_t size = 1 + random->Below(64);
  if (const size_t unit = random->Below(4); unit < 2) {
    size = unit == 0 ? 512 : 4096;
    at -= at % size;
    if (random->OneIn(4)) size *= 1 + random->Below(8);
  } else if (unit == 2) {
    size = 1 + random->Below(20000);
  }
  size = std::min(size, bytes->size() - at);
  const char fill = random->OneIn(4) ? '\xff' : '\0';
  std::fill_n(bytes->begin() + static_cast<ptrdiff_t>(at), size, fill);
  return absl::StrCat(size, " bytes of ", fill == 0 ? "0x00" : "0xff", " at ", at);
}

std::string FillWithNoise(const Original& original, Random* random, std::string* bytes) {
  if (bytes->empty()) return "";
  const size_t at = ChooseOffset(original, *bytes, random);
  const size_t size = std::min(1 + random->Below(600), bytes->size() - at);
  for (size_t i = 0; i < size; ++i) (*bytes)[at + i] = static_cast<char>(random->Below(256));
  return absl::StrCat(size, " random bytes at ", at);
}

// Chooses a block, sector or page boundary, or any offset.
size_t ChooseCut(const Original& original, const std::string& bytes, Random* random) {
  size_t at = ChooseOffset(original, bytes, random);
  const size_t choice = random->Below(4);
  if (choice == 0 && !original.blocks.empty()) {
    at = random->Pick(original.blocks).handle.offset;
  } else if (choice == 1) {
    at -= at % (random->OneIn(2) ? 512 : 4096);
  }
  return std::min(at, bytes.size());
}

std::string CutEnd(const Original& original, Random* random, std::string* bytes) {
  if (bytes->empty()) return "";
  const size_t at = ChooseCut(original, *bytes, random);
  bytes->resize(at);
  return absl::StrCat("at ", at);
}

std::string CutHead(const Original& original, Random* random, std::string* bytes) {
  if (bytes->empty()) return "";
  const size_t at = ChooseCut(original, *bytes, random);
  bytes->erase(0, at);
  return absl::StrCat(at, " bytes");
}

std::string Insert(const Original& original, Random* random, std::string* bytes) {
  if (bytes->empty()) return "";
  const size_t at = ChooseCut(original, *bytes, random);
  const size_t size = 1 + random->Below(random->OneIn(2) ? 16 : 5000);
  std::string inserted(size, static_cast<char>(random->Below(256)));
  if (random->OneIn(2)) {
    for (char& c : inserted) c = static_cast<char>(random->Below(256));
  }
  bytes->insert(at, inserted);
  return absl::StrCat(size, " bytes at ", at);
}

std::string Remove(const Original& original, Random* random, std::string* bytes) {
  if (bytes->empty()) return "";
  const size_t at = ChooseOffset(original, *bytes, random);
  const size_t size = std::min(1 + random->Below(random->OneIn(2) ? 16 : 5000), bytes->size() - at);
  bytes->erase(at, size);
  return absl::StrCat(size, " bytes at ", at);
}

std::string CutEndAnywhere(const Original&, Random* random, std::string* bytes) {
  if (bytes->empty()) return "";
  bytes->resize(random->Below(bytes->size()));
  return absl::StrCat("at ", bytes->size());
}

std::string CutHeadAnywhere(const Original&, Random* random, std::string* bytes) {
  if (bytes->empty()) return "";
  const size_t size = 1 + random->Below(bytes->size());
  bytes->erase(0, size);
  return absl::StrCat(size, " bytes");
}

std::string CutMiddle(const Original&, Random* random, std::string* bytes) {
  if (bytes->empty()) return "";
  const size_t at = random->Below(bytes->size());
  const size_t size = 1 + random->Below(bytes->size() - at);
  bytes->erase(at, size);
  return absl::StrCat(size, " bytes at ", at);
}

std::string FlipInTail(const Original& original, Random* random, std::string* bytes) {
  struct Range {
    size_t offset, size;
  };
  if (original.bytes.size() < kFooterSize || bytes->size() < original.bytes.size()) return "";
  const size_t footer = original.bytes.size() - kFooterSize;
  std::vector<Range> ranges = {{footer, kFooterHandlesSize},
                               {footer + kFooterHandlesSize, kFooterSize - kFooterHandlesSize}};
  for (const OriginalBlock& block : original.blocks) {
    if (block.kind == BlockKind::kData) continue;
    ranges.push_back({block.handle.offset, block.handle.size + kBlockTrailerSize});
  }
  std::string description;
  for (size_t left = 1 + random->Below(3); left > 0; --left) {
    const Range range = random->Pick(ranges);
    const size_t at = range.offset + random->Below(range.size);
    (*bytes)[at] = static_cast<char>((*bytes)[at] ^ (1 << random->Below(8)));
    absl::StrAppend(&description, description.empty() ? "a bit of byte " : ", ", at);
  }
  return description;
}

constexpr Change kTailChanges[] = {{"flip-tail", FlipInTail}};

constexpr Change kCuts[] = {
    {"cut-end", CutEndAnywhere},
    {"cut-end", CutEndAnywhere},
    {"cut-head", CutHeadAnywhere},
    {"cut-middle", CutMiddle},
};

constexpr Change kChanges[] = {
    {"flip-bit", FlipBit},    {"flip-bit", FlipBit}, {"set-byte", SetByte},
    {"fill-run", FillRun},    {"fill-run", FillRun}, {"noise", FillWithNoise},
    {"cut-end", CutEnd},      {"cut-head", CutHead}, {"insert-bytes", Insert},
    {"remove-bytes", Remove},
};

}  // namespace

absl::Span<const Change> ByteChanges() { return kChanges; }
absl::Span<const Change> Cuts() { return kCuts; }
absl::Span<const Change> TailChanges() { return kTailChanges; }

}  // namespace sstable::mutants
