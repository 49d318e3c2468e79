#include <snappy.h>

#include "absl/strings/str_format.h"
#include "table/block/codec.h"

namespace sstable {
namespace {

class SnappyEncoder final : public BlockEncoder {
 public:
  bool Encode(absl::string_view raw, size_t limit, ByteBuffer* out) override {
    size_t size = 0;
    char* const dst = out->Reserve(snappy::MaxCompressedLength(raw.size()));
    snappy::RawCompress(raw.data(), raw.size(), dst, &size);
    out->SetSize(size);
    return size < limit;
  }
};

}  // namespace

std::unique_ptr<BlockEncoder> NewSnappyEncoder(int) { return std::make_unique<SnappyEncoder>(); }

absl::Status UncompressSnappy(absl::string_view stored, uint64_t max_size, ByteBuffer* out) {
  size_t size = 0;
  if (!snappy::GetUncompressedLength(stored.data(), stored.size(), &size)) {
    return absl::DataLossError("snappy: no valid length");
  }
  if (size > max_size) return TooLarge("snappy", size, max_size);
  // No element of the format yields more than 64 bytes from 3, so a larger claim is false. Checked
  // before memory is allocated.
  if (size / 64 > stored.size() / 3 + 1) {
    return absl::DataLossError(
        absl::StrFormat("snappy: %d bytes can't hold the %d they claim", stored.size(), size));
  }
  if (!snappy::RawUncompress(stored.data(), stored.size(), out->Reserve(size))) {
    return absl::DataLossError("snappy: the compressed bytes are malformed");
  }
  out->SetSize(size);
  return absl::OkStatus();
}

}  // namespace sstable
