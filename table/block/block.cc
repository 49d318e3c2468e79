#include "table/block/block.h"

#include <limits>

#include "absl/strings/str_format.h"

namespace sstable {

absl::StatusOr<Block> Block::Parse(absl::string_view contents) {
  Block block;
  if (TryParse(contents, &block)) return block;
  if (contents.size() < sizeof(uint32_t)) {
    return absl::DataLossError(
        absl::StrFormat("block of %d bytes has no room for its restart count", contents.size()));
  }
  if (contents.size() > std::numeric_limits<uint32_t>::max()) {
    return absl::DataLossError(
        absl::StrFormat("block of %d bytes; its restart points have 32 bits", contents.size()));
  }
  const size_t max_entries_size = contents.size() - sizeof(uint32_t);
  const uint32_t restart_count = DecodeFixed32(contents.data() + max_entries_size);
  if (restart_count == 0) {
    return absl::DataLossError(
        absl::StrFormat("block has %d bytes of entries, but no restart point", max_entries_size));
  }
  return absl::DataLossError(
      absl::StrFormat("block of %d bytes claims %d restart points, has room for %d",
                      contents.size(), restart_count, max_entries_size / sizeof(uint32_t)));
}

// RocksDB's hash index of keys: one byte for each bucket and the number of buckets as a fixed16,
// after the restart array; the top bit of the restart count marks its presence. Searches don't use
// it.
bool Block::TryParseWithHashIndex(absl::string_view contents, Block* block) {
  constexpr uint32_t kHasHashIndex = uint32_t{1} << 31;
  constexpr size_t kTailSize = sizeof(uint16_t) + sizeof(uint32_t);
  if (contents.size() < kTailSize) return false;
  const char* const tail = contents.data() + contents.size() - kTailSize;
  const uint32_t count = DecodeFixed32(tail + sizeof(uint16_t)) & ~kHasHashIndex;
  const uint64_t bucket_count =
      static_cast<unsigned char>(tail[0]) | uint64_t{static_cast<unsigned char>(tail[1])} << 8;
  const uint64_t after_entries = sizeof(uint32_t) * uint64_t{count} + bucket_count + kTailSize;
  if (count == 0 || after_entries > contents.size()) return false;
  block->begin_ = contents.data();
  block->entries_size_ = static_cast<uint32_t>(contents.size() - after_entries);
  block->restart_count_ = count;
  return true;
}

bool DecodeLongEntryHeader(const char* p, const char* limit, BlockEntry* entry) {
  p = DecodeVarint32(p, limit, &entry->shared);
  if (p == nullptr) return false;
  p = DecodeVarint32(p, limit, &entry->unshared);
  if (p == nullptr) return false;
  entry->suffix = DecodeVarint32(p, limit, &entry->value_size);
  return entry->suffix != nullptr;
}

absl::Status DecodeRestartEntry(const Block& block, uint32_t restart, BlockEntry* entry) {
  const uint32_t offset = block.RestartOffset(restart);
  if (offset >= block.entries_size()) {
    return absl::DataLossError(
        absl::StrFormat("restart point %d is at offset %d, past the entries' end at %d", restart,
                        offset, block.entries_size()));
  }
  if (restart == 0 && offset != 0) {  // a search would never see the entries before it
    return absl::DataLossError(
        absl::StrFormat("restart point 0 is at offset %d, expected 0", offset));
  }
  if (!DecodeEntry(block.begin() + offset, block, entry)) {
    return EntryError(block, block.begin() + offset, 0);
  }
  if (entry->shared != 0) {
    return absl::DataLossError(
        absl::StrFormat("restart point %d at offset %d shares %d bytes of a key, expected 0",
                        restart, offset, entry->shared));
  }
  return absl::OkStatus();
}

absl::Status EntryError(const Block& block, const char* p, size_t key_size) {
  const auto offset = static_cast<size_t>(p - block.begin());
  uint32_t sizes[3];  // shared, unshared, value
  for (uint32_t& size : sizes) {
    p = DecodeVarint32(p, block.end(), &size);
    if (p == nullptr) {
      return absl::DataLossError(
          absl::StrFormat("entry at offset %d: its three sizes are cut short", offset));
    }
  }
  if (sizes[0] > key_size) {
    return absl::DataLossError(absl::StrFormat("entry at offset %d shares %d bytes of a key of %d",
                                               offset, sizes[0], key_size));
  }
  return absl::DataLossError(absl::StrFormat(
      "entry at offset %d: key bytes %d and value bytes %d are more than the %d that remain",
      offset, sizes[1], sizes[2], block.end() - p));
}

}  // namespace sstable
