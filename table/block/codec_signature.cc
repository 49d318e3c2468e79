// How the streams of the codecs begin, and how LZ4 blocks are formed.
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "table/block/codec.h"
#include "util/coding.h"

namespace sstable {

// A frame's first bytes; RFC 8878, section 3.1.1.
bool HasZstdMagic(absl::string_view stored) { return absl::StartsWith(stored, "\x28\xb5\x2f\xfd"); }

bool HasSizedZstdMagic(absl::string_view stored) {
  uint32_t size = 0;
  return HasZstdMagic(stored) || (ConsumeVarint32(&stored, &size) && HasZstdMagic(stored));
}

// The method is 8 (deflate), and the two header bytes are a multiple of 31.
bool HasZlibHeader(absl::string_view stored) {
  if (stored.size() < 2) return false;
  const auto method = static_cast<unsigned char>(stored[0]);
  const auto flags = static_cast<unsigned char>(stored[1]);
  return (method & 0x0f) == 8 && (method * 256 + flags) % 31 == 0;
}

// A stream's first bytes; one digit follows, the size of its blocks.
bool HasBzip2Magic(absl::string_view stored) { return absl::StartsWith(stored, "BZh"); }

// LZ4 as in RocksDB's tables of format version 0, with compression type 4, or 5 from the slower
// compressor: the uncompressed size as a fixed64, then one LZ4 block. That is a series of sequences
//   token (literal count << 4 | match size - 4) | more of the count | literals
//   | match offset (fixed16) | more of the size
// the last of which ends after its literals. A count or size of 15 is continued by bytes that are
// added to it, up to the first that is not 255.
namespace {

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
  constexpr size_t kSizeSize = sizeof(uint64_t);
  if (stored.size() <= kSizeSize) return false;
  const uint64_t size = DecodeFixed64(stored.data());
  absl::string_view block = stored.substr(kSizeSize);
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

}  // namespace sstable
