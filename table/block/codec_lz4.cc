// LZ4 as in RocksDB's tables of format version 0, with compression type 4, or 5 from the slower
// compressor: the uncompressed size as a fixed64, then one LZ4 block. That is a series of sequences
//   token (literal count << 4 | match size - 4) | more of the count | literals
//   | match offset (fixed16) | more of the size
// the last of which ends after its literals. A count or size of 15 is continued by bytes that are
// added to it, up to the first that is not 255.
#include <lz4.h>

#include <limits>

#include "absl/strings/str_format.h"
#include "table/block/codec.h"
#include "util/coding.h"

namespace sstable {
namespace {

constexpr size_t kSizeSize = sizeof(uint64_t);

// No byte of a block yields more than 255, so a larger claim is false; detected before memory is
// allocated.
bool MayHold(absl::string_view block, uint64_t size) { return size / 255 <= block.size(); }

// Adds the bytes that continue a count of 15; false if they do not end.
bool AddMore(absl::string_view* block, uint64_t* count) {
  if (*count != 15) return true;
  while (!block->empty()) {
    const auto byte = static_cast<unsigned char>(block->front());
    block->remove_prefix(1);
    *count += byte;
    if (byte != 255) return true;
  }
  return false;
}

}  // namespace

bool IsLz4Block(absl::string_view stored) {
  if (stored.size() <= kSizeSize) return false;
  const uint64_t size = DecodeFixed64(stored.data());
  absl::string_view block = stored.substr(kSizeSize);
  if (!MayHold(block, size)) return false;
  uint64_t made = 0;
  while (!block.empty() && made <= size) {
    const auto token = static_cast<unsigned char>(block.front());
    block.remove_prefix(1);
    uint64_t literals = token >> 4, match = token & 15;
    if (!AddMore(&block, &literals) || literals > block.size()) return false;
    block.remove_prefix(literals);
    made += literals;
    if (block.empty()) return made == size;
    if (block.size() < 2) return false;
    const uint64_t offset =
        static_cast<unsigned char>(block[0]) + uint64_t{static_cast<unsigned char>(block[1])} * 256;
    block.remove_prefix(2);
    if (offset == 0 || offset > made || !AddMore(&block, &match)) return false;
    made += match + 4;
  }
  return false;
}

absl::Status UncompressLz4(absl::string_view stored, uint64_t max_size, ByteBuffer* out) {
  if (stored.size() <= kSizeSize) return absl::DataLossError("lz4: no size and block");
  const uint64_t size = DecodeFixed64(stored.data());
  const absl::string_view block = stored.substr(kSizeSize);
  if (size > max_size) return TooLarge("lz4", size, max_size);
  if (size > LZ4_MAX_INPUT_SIZE || block.size() > LZ4_MAX_INPUT_SIZE) {
    return absl::UnimplementedError("lz4: block of more than 2 GiB");
  }
  if (!MayHold(block, size)) {
    return absl::DataLossError(
        absl::StrFormat("lz4: %d bytes can't hold the %d they claim", stored.size(), size));
  }
  const int made = LZ4_decompress_safe(block.data(), out->Reserve(size),
                                       static_cast<int>(block.size()), static_cast<int>(size));
  if (made < 0) return absl::DataLossError("lz4: the compressed bytes are malformed");
  if (static_cast<uint64_t>(made) != size) {
    return absl::DataLossError(
        absl::StrFormat("lz4: the block claims %d bytes and has %d", size, made));
  }
  out->SetSize(size);
  return absl::OkStatus();
}

}  // namespace sstable
