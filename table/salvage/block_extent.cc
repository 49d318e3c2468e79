#include "table/salvage/block_extent.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "sstable/format.h"
#include "table/block/block.h"
#include "util/coding.h"

namespace sstable {
namespace {

using Values = std::vector<std::pair<uint64_t, uint64_t>>;

// Adds a value, unless it is too small to hold a block.
void AddValue(uint64_t start, uint64_t end, Values* values) {
  if (end - start > kBlockTrailerSize + sizeof(uint32_t)) values->emplace_back(start, end);
}

// Returns true if the bytes from file offset `start` to `end` are entries, the first of which has a
// whole key. Adds their values.
bool HasEntries(const char* file, uint64_t start, uint64_t end_offset, Values* values) {
  const char* p = file + start;
  const char* const end = file + end_offset;
  const size_t values_before = values->size();
  uint64_t key_size = 0;
  while (p < end) {
    BlockEntry entry;
    bool is_entry =
        DecodeLongEntryHeader(p, end, &entry) && entry.shared <= key_size &&
        uint64_t{entry.unshared} + entry.value_size <= static_cast<uint64_t>(end - entry.suffix);
    key_size = uint64_t{entry.shared} + entry.unshared;
    if (!is_entry || key_size == 0) {
      values->resize(values_before);
      return false;
    }
    p = entry.next();
    const auto next = static_cast<uint64_t>(p - file);
    AddValue(next - entry.value_size, next, values);
  }
  return true;
}

// Walks over the restart array at `at`: offsets of the block's entries, ascending from 0, and their
// number. An entry takes at least 3 bytes, so every offset but the first is larger than its own
// index in the array.
BlockExtent WalkRestarts(absl::string_view bytes, uint64_t start, uint64_t at,
                         const BlockExtentOptions& options, BlockExtent unknown, Budget* work) {
  const BlockExtent cut = {BlockExtent::Kind::kCut, options.limit, unknown.values, ""};
  uint64_t last = 0;
  for (uint64_t count = 0; at + sizeof(uint32_t) <= options.limit; ++count) {
    const uint64_t number = DecodeFixed32(bytes.data() + at);
    at += sizeof(uint32_t);
    if (count > 0 && number == count) {
      if (at + kBlockTrailerSize > options.limit) return options.may_be_cut ? cut : unknown;
      // If the walk went astray, that may be the array of a later block, whose offsets don't fit.
      const uint64_t end = at + kBlockTrailerSize;
      Values values;
      if (bytes[at] != 0 || (count > 1 && !IsRawBlock(bytes, start, end, work, &values))) {
        return unknown;
      }
      return {BlockExtent::Kind::kWhole, end, std::move(unknown.values), ""};
    }
    if (count == 0 ? number != 0 : number <= last || number >= at - start) return unknown;
    last = number;
  }
  return options.may_be_cut ? cut : unknown;
}

BlockExtent WalkRaw(absl::string_view bytes, uint64_t start, const BlockExtentOptions& options,
                    absl::FunctionRef<bool(uint64_t offset)> starts_block, Budget* work) {
  const char* const limit = bytes.data() + options.limit;
  BlockExtent extent;
  extent.end = start;
  uint64_t at = start, key_size = 0;
  std::string key;
  for (uint64_t count = 0; at < options.limit; ++count) {
    if (!work->Take(4)) return extent;
    BlockEntry entry;
    if (!DecodeLongEntryHeader(bytes.data() + at, limit, &entry)) {
      const bool is_cut = options.limit - at < 3 * kMaxVarint32Size;
      if (is_cut && count > 0 && options.may_be_cut) {
        return {BlockExtent::Kind::kCut, options.limit, std::move(extent.values), ""};
      }
      break;
    }
    const bool has_no_key = entry.shared == 0 && entry.unshared == 0;
    if (entry.shared > key_size || (count > 0 && has_no_key)) break;
    const auto left = static_cast<uint64_t>(limit - entry.suffix);
    if (uint64_t{entry.unshared} + entry.value_size > left) {
      const uint64_t value_offset =
          static_cast<uint64_t>(entry.suffix - bytes.data()) + entry.unshared;
      if (!options.may_be_cut) {
        if (entry.unshared < left) AddValue(value_offset, options.limit, &extent.values);
        return extent;
      }
      // Damaged sizes have the same effect.
      const bool has_like_key = !options.key_before.empty() && entry.unshared > 0 && left > 0 &&
                                entry.suffix[0] == options.key_before[0];
      const bool is_cut_in_key = entry.unshared >= left;
      if (is_cut_in_key ? count > 0 && entry.unshared <= 2 * key_size
                        : count > 0 || has_like_key || starts_block(value_offset)) {
        if (!is_cut_in_key) {
          AddValue(value_offset, options.limit, &extent.values);
          if (count == 0) key.assign(entry.suffix, entry.unshared);
        }
        return {BlockExtent::Kind::kCut, options.limit, std::move(extent.values),
                is_cut_in_key ? "" : std::move(key)};
      }
      return extent;
    }
    key_size = uint64_t{entry.shared} + entry.unshared;
    key.resize(entry.shared);
    key.append(entry.suffix, entry.unshared);
    at = static_cast<uint64_t>(entry.next() - bytes.data());
    AddValue(at - entry.value_size, at, &extent.values);
  }
  if (at == start) return extent;
  return WalkRestarts(bytes, start, at, options, extent, work);
}

// One element of a Snappy stream.
struct SnappyElement {
  uint64_t header_size = 0;
  uint64_t literal_size = 0;  // bytes that follow the header
  uint64_t copy_size = 0;     // bytes that are there already
  uint64_t copy_offset = 0;
};

SnappyElement ParseSnappyElement(const char* p) {
  const uint32_t tag = static_cast<uint8_t>(*p);
  SnappyElement element;
  switch (tag & 3) {
    case 0: {
      const uint32_t code = tag >> 2;
      const uint32_t size_bytes = code < 60 ? 0 : code - 59;
      const uint64_t mask = (uint64_t{1} << (8 * size_bytes)) - 1;
      element.header_size = 1 + size_bytes;
      element.literal_size = size_bytes == 0 ? code + 1 : (DecodeFixed32(p + 1) & mask) + 1;
      break;
    }
    case 1:
      element.header_size = 2;
      element.copy_size = 4 + ((tag >> 2) & 7);
      element.copy_offset = (tag >> 5) << 8 | static_cast<uint8_t>(p[1]);
      break;
    case 2:
      element.header_size = 3;
      element.copy_size = (tag >> 2) + 1;
      element.copy_offset = DecodeFixed32(p + 1) & 0xffff;
      break;
    default:
      element.header_size = 5;
      element.copy_size = (tag >> 2) + 1;
      element.copy_offset = DecodeFixed32(p + 1);
  }
  return element;
}

BlockExtent WalkSnappy(absl::string_view bytes, uint64_t start, const BlockExtentOptions& options,
                       Budget* work) {
  BlockExtent extent;
  extent.end = start;
  const char* const limit = bytes.data() + options.limit;
  uint32_t size = 0;
  const char* p = DecodeVarint32(bytes.data() + start, limit, &size);
  if (p == nullptr || size > MaxUncompressedSize(options.limit - start)) return extent;
  for (uint64_t made = 0; made < size;) {
    if (p >= limit) {
      if (options.may_be_cut) {
        return {BlockExtent::Kind::kCut, options.limit, std::move(extent.values), ""};
      }
      return extent;
    }
    if (!work->Take(4)) return extent;
    const SnappyElement element = ParseSnappyElement(p);
    if (made == 0) {  // a literal whose first byte is that of a raw block
      if (element.literal_size == 0 || p[element.header_size] != 0) return extent;
    }
    if (element.literal_size > size - made || element.copy_size > size - made) return extent;
    if (element.copy_size > 0 && (element.copy_offset == 0 || element.copy_offset > made)) {
      return extent;
    }
    made += element.literal_size + element.copy_size;
    p += element.header_size;
    if (element.literal_size > static_cast<uint64_t>(limit > p ? limit - p : 0)) {
      if (!options.may_be_cut) return extent;
      // The block is cut within a literal.
      AddValue(static_cast<uint64_t>(p - bytes.data()), options.limit, &extent.values);
      return {BlockExtent::Kind::kCut, options.limit, std::move(extent.values), ""};
    }
    p += element.literal_size;
    const auto at = static_cast<uint64_t>(p - bytes.data());
    AddValue(at - element.literal_size, at, &extent.values);
  }
  const auto end = static_cast<uint64_t>(p - bytes.data());
  if (size == 0 || end + kBlockTrailerSize > options.limit || *p != 1) return extent;
  return {BlockExtent::Kind::kWhole, end + kBlockTrailerSize, std::move(extent.values), ""};
}

}  // namespace

BlockExtent FindBlockExtent(absl::string_view bytes, uint64_t start,
                            const BlockExtentOptions& options,
                            absl::FunctionRef<bool(uint64_t offset)> starts_block, Budget* work) {
  BlockExtent extent;
  extent.end = start;
  if (start >= options.limit) return extent;
  if (bytes[start] == 0) return WalkRaw(bytes, start, options, starts_block, work);
  return WalkSnappy(bytes, start, options, work);
}

bool IsRawBlock(absl::string_view bytes, uint64_t start, uint64_t end, Budget* work,
                Values* values) {
  if (end < start + kBlockTrailerSize + sizeof(uint32_t)) return false;
  const char* const trailer = bytes.data() + end - kBlockTrailerSize;
  const uint64_t room = end - kBlockTrailerSize - sizeof(uint32_t) - start;
  const uint64_t count = DecodeFixed32(trailer - sizeof(uint32_t));
  if (*trailer != 0 || count < 2 || count > room / sizeof(uint32_t)) return false;
  const uint64_t entries_size = room - sizeof(uint32_t) * count;
  const char* const restarts = bytes.data() + start + entries_size;
  if (DecodeFixed32(restarts) != 0 || !work->Take(room)) return false;
  uint64_t fitting = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t from = DecodeFixed32(restarts + sizeof(uint32_t) * i);
    const uint64_t to =
        i + 1 < count ? DecodeFixed32(restarts + sizeof(uint32_t) * (i + 1)) : entries_size;
    if (to <= from || to > entries_size) return false;
    if (HasEntries(bytes.data(), start + from, start + to, values)) ++fitting;
  }
  return 2 * fitting >= count;
}

}  // namespace sstable
