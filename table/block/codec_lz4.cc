// LZ4 as in RocksDB's tables: the uncompressed size as a fixed64, then one LZ4 block, whose format
// is in codec_signature.cc.
#include <lz4.h>

#include <limits>

#include "absl/strings/str_format.h"
#include "table/block/codec.h"
#include "util/coding.h"

namespace sstable {
namespace {

constexpr size_t kSizeSize = sizeof(uint64_t);

}  // namespace

absl::Status UncompressLz4(absl::string_view stored, uint64_t max_size, ByteBuffer* out) {
  if (stored.size() <= kSizeSize) return absl::DataLossError("lz4: no size and block");
  const uint64_t size = DecodeFixed64(stored.data());
  const absl::string_view block = stored.substr(kSizeSize);
  if (size > max_size) return TooLarge("lz4", size, max_size);
  if (size > LZ4_MAX_INPUT_SIZE || block.size() > LZ4_MAX_INPUT_SIZE) {
    return absl::UnimplementedError("lz4: block of more than 2 GiB");
  }
  // No byte of a block yields more than 255, so a larger claim is false. Checked before memory is
  // allocated.
  if (size / 255 > block.size()) {
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
